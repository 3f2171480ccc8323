/** When, for people: local time, with as much of the date as is needed. */
export function formatMoment(at: number | null, now: number): string {
  if (at === null) return '';
  const then = new Date(at);
  const clock = `${two(then.getHours())}:${two(then.getMinutes())}`;
  if (dateOf(then) === dateOf(new Date(now))) return clock;
  return `${dateOf(then)} ${clock}`;
}

function dateOf(date: Date): string {
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

function two(part: number): string {
  return String(part).padStart(2, '0');
}

/** A span in its two largest units: `2 d 3 h`, `1 h 30 min`, `12 s`. */
export function formatSpan(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const parts: [number, string][] = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ];
  const first = parts.findIndex(([amount]) => amount > 0);
  if (first < 0) return '0 s';
  return parts
    .slice(first, first + 2)
    .filter(([amount]) => amount > 0)
    .map(([amount, unit]) => `${amount} ${unit}`)
    .join(' ');
}

/**
 * Reads a time: `08:00` (the next one, local), `2026-05-01`, `2026-05-01T08:00` (local), or an ISO
 * time with `Z` or an offset. Epoch milliseconds; null when it is none of these, or no real date.
 */
export function parseMoment(text: string, now: number): number | null {
  const clock = text.match(/^(\d{1,2}):(\d{2})$/);
  if (clock) return nextClock(Number(clock[1]), Number(clock[2]), now);
  const found = text.match(
    /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,3})\d*)?)?(Z|[+-]\d{2}:?\d{2})?)?$/i,
  );
  if (!found) return null;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = found
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  const millis = Number((found[7] ?? '0').padEnd(3, '0'));
  const real = new Date(Date.UTC(year, month - 1, day, hour, minute, second, millis));
  const exists =
    real.getUTCMonth() === month - 1 &&
    real.getUTCDate() === day &&
    hour < 24 &&
    minute < 60 &&
    second < 60;
  if (!exists) return null;
  const zone = found[8];
  if (!zone) return new Date(year, month - 1, day, hour, minute, second, millis).getTime();
  return real.getTime() - offsetMs(zone);
}

function nextClock(hour: number, minute: number, now: number): number | null {
  if (hour > 23 || minute > 59) return null;
  const today = new Date(now);
  for (const ahead of [0, 1]) {
    const then = new Date(
      today.getFullYear(),
      today.getMonth(),
      today.getDate() + ahead,
      hour,
      minute,
    );
    if (then.getTime() > now) return then.getTime();
  }
  return null;
}

function offsetMs(zone: string): number {
  if (/^z$/i.test(zone)) return 0;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(-2));
  return (zone.startsWith('-') ? -minutes : minutes) * 60_000;
}

/** Reads `90m`, `1h30m`, `10s`, `2d`: whole seconds, at least 1; null when it is none of these. */
export function parseDuration(text: string): number | null {
  const found = text.match(/^(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$/);
  if (!found || text === '') return null;
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = found
    .slice(1)
    .map((part) => Number(part ?? 0));
  const total = days * 86_400 + hours * 3600 + minutes * 60 + seconds;
  return total >= 1 && Number.isSafeInteger(total) ? total : null;
}
