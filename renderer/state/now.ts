/** The one place of the panel that reads the clock; only to say "today", never to decide. */
export function now(): number {
  return Date.now();
}
