/**
 * How many relays must answer before a look counts. An owner who asks for more than one copy of each
 * claim wants looks that cannot miss one: any such look and any such claim share a relay. With one copy,
 * the default, availability goes first.
 */
export function answersNeeded(relays: number, copies: number, leastActive: number): number {
  const overlapping = copies > 1 ? relays - copies + 1 : 1;
  return Math.min(relays, Math.max(1, leastActive, overlapping));
}
