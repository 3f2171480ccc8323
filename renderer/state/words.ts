/** How numbers and moments are written in the panel. */

export function money(cents: number, currency: string): string {
  return new Intl.NumberFormat(undefined, { style: 'currency', currency }).format(cents / 100);
}

export function clockTime(at: number): string {
  return new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' }).format(at);
}

/** Time of day for today, with the date otherwise. `now` is epoch ms. */
export function moment(at: number, now: number): string {
  const sameDay = new Date(at).toDateString() === new Date(now).toDateString();
  if (sameDay) return clockTime(at);
  return new Intl.DateTimeFormat(undefined, {
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
  }).format(at);
}

export function count(n: number, one: string, many = `${one}s`): string {
  return `${n.toLocaleString()} ${n === 1 ? one : many}`;
}
