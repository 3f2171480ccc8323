/** Durations, moments and counts as gates and the status line say them. */

/** A reading of a stop watch: `0:42`, `5:00`, `1:02:03`; parts of a second are cut off. */
export function watchTime(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const s = String(whole % 60).padStart(2, '0');
  const m = Math.floor(whole / 60) % 60;
  const h = Math.floor(whole / 3600);
  return h > 0 ? `${h}:${String(m).padStart(2, '0')}:${s}` : `${m}:${s}`;
}

/** A span in words, two units at most, rounded up to the second: `4 min 18 s`, `2 h`, `1 d 3 h`. */
export function spanInWords(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  const units = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ] as const;
  const first = units.findIndex(([amount]) => amount > 0);
  if (first === -1) return '0 s';
  return units
    .slice(first, first + 2)
    .filter(([amount]) => amount > 0)
    .map(([amount, unit]) => `${amount} ${unit}`)
    .join(' ');
}

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

/** A moment in the machine's own time zone, as short as it can be seen from `now`: `14:30`,
 * `08:00 tomorrow`, `08:00 on 3 Mar`, with the year where it is another one. */
export function momentInWords(at: number, now: number): string {
  const when = new Date(at);
  const today = new Date(now);
  const time = `${pad(when.getHours())}:${pad(when.getMinutes())}`;
  if (sameDay(when, today)) return time;
  const tomorrow = new Date(today.getFullYear(), today.getMonth(), today.getDate() + 1);
  if (sameDay(when, tomorrow)) return `${time} tomorrow`;
  const year = when.getFullYear() === today.getFullYear() ? '' : ` ${when.getFullYear()}`;
  return `${time} on ${when.getDate()} ${MONTHS[when.getMonth()]}${year}`;
}

function sameDay(a: Date, b: Date): boolean {
  return a.toDateString() === b.toDateString();
}

function pad(value: number): string {
  return String(value).padStart(2, '0');
}

/** `1 heavy job`, `3 heavy jobs`. */
export function countOf(amount: number, thing: string): string {
  return `${amount} ${thing}${amount === 1 ? '' : 's'}`;
}

/** A battery's charge without false precision: `87 %`. */
export function percentInWords(percent: number): string {
  return `${Math.floor(percent)} %`;
}

/** `mains`, `mains and the end of your call`, `one, two and three`. */
export function listed(words: readonly string[]): string {
  if (words.length < 2) return words.join('');
  return `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}
