import { Cron } from 'croner';
import { failure, ok, type Result } from '../../../base/errors.ts';
import { DAY_MS } from '../../../base/zone.ts';

/**
 * A cron line as pure calendar: which days, and which minutes of such a day. Croner reads the line
 * and walks the days in a calendar without daylight saving; zones are laid over it in calendar.ts,
 * because croner lets a job with a list or a step in its time skip a gap and run twice when clocks go
 * back, and moves an occurrence of a day that does not exist in a zone to the next one.
 */
export interface CronLine {
  /** Minutes since midnight at which a matching day has an occurrence, ascending. */
  readonly minutes: readonly number[];
  /** The hour field is a wildcard: it names every hour of the day. */
  readonly everyHour: boolean;
  /** The first matching day after `day` (days since 1970-01-01 of the local date), or null. */
  nextDay(day: number): number | null;
}

const FIELDS = ['minute', 'hour', 'day of month', 'month', 'day of week'] as const;

const NICKNAMES: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};

/** The five fields of a cron line, nicknames written out; fewer or more when the line is wrong. */
export function cronFields(expression: string): string[] {
  const line = expression.trim();
  return (NICKNAMES[line.toLowerCase()] ?? line).split(/\s+/).filter(Boolean);
}

/** 9999-12-31, where croner's calendar ends. */
const LAST_DAY = Date.UTC(9999, 11, 31) / DAY_MS;

const lines = new Map<string, CronLine>();
const KEPT_LINES = 2_000;

/** Reads a valid cron line; throws croner's own error for another one (see checkCron). */
export function cronLine(expression: string): CronLine {
  let line = lines.get(expression);
  if (!line) {
    line = compile(cronFields(expression));
    if (lines.size >= KEPT_LINES) lines.clear();
    lines.set(expression, line);
  }
  return line;
}

function compile(fields: string[]): CronLine {
  const [minute, hour, ...date] = fields;
  const hours = times(`0 ${hour} * * *`, 3_600_000);
  const minutes = times(`${minute} 0 * * *`, 60_000);
  const days = matcher(`0 0 ${date.join(' ')}`);
  const everyDay = date.every((field) => field === '*' || field === '?');
  return {
    minutes: hours.flatMap((h) => minutes.map((m) => h * 60 + m)),
    everyHour: hours.length === 24,
    nextDay(after) {
      if (after >= LAST_DAY) return null;
      if (everyDay) return after + 1;
      const next = days.nextRun(new Date(after * DAY_MS));
      return next === null ? null : next.getTime() / DAY_MS;
    },
  };
}

/** The times of the first day of 1970 that match, in units of `unit` milliseconds. */
function times(pattern: string, unit: number): number[] {
  const found: number[] = [];
  const cron = matcher(pattern);
  for (let at = cron.nextRun(new Date(-1000)); at && at.getTime() < DAY_MS; at = cron.nextRun(at)) {
    found.push(at.getTime() / unit);
  }
  return found;
}

function matcher(pattern: string): Cron {
  return new Cron(pattern, { timezone: 'UTC', mode: '5-part', paused: true });
}

/** One clear line for a cron line that cannot be read, or that never comes due. */
export function checkCron(expression: string): Result<CronLine> {
  const shown = `cron "${expression.trim()}"`;
  if (expression.length > 200) {
    return failure('invalid', `the cron line has ${expression.length} characters; 200 are allowed`);
  }
  const fields = cronFields(expression);
  if (fields.length !== FIELDS.length) {
    return failure(
      'invalid',
      `${shown} has ${fields.length} ${fields.length === 1 ? 'field' : 'fields'}; five are needed`,
      'write minute, hour, day of month, month, day of week: 0 7 * * 1-5 is 07:00, Monday to Friday',
    );
  }
  for (const [index, field] of fields.entries()) {
    const alone = FIELDS.map((_, i) => (i === index ? field : '*')).join(' ');
    const fault = faultOf(() => matcher(alone));
    if (fault)
      return failure('invalid', `${shown}: ${FIELDS[index]} "${field}": ${fault}`, HINTS[index]);
  }
  let line: CronLine;
  try {
    line = cronLine(expression);
  } catch (error) {
    return failure('invalid', `${shown}: ${plain(error)}`);
  }
  if (line.nextDay(0) === null) {
    return failure('invalid', `${shown} never comes due`, 'no year has such a date');
  }
  return ok(line);
}

const HINTS = [
  'minutes go from 0 to 59',
  'hours go from 0 to 23',
  'days of a month go from 1 to 31',
  'months go from 1 to 12, or JAN to DEC',
  'days of a week go from 0 to 7, or SUN to SAT; 0 and 7 are Sunday',
] as const;

function faultOf(work: () => unknown): string | null {
  try {
    work();
    return null;
  } catch (error) {
    return error instanceof RangeError ? 'out of range' : plain(error);
  }
}

/** Croner's message without its prefix, as the end of a sentence. */
function plain(error: unknown): string {
  const text = (error instanceof Error ? error.message : String(error))
    .replace(/^CronPattern: /, '')
    .replace(/^Syntax error, /, '')
    .replace(/^configuration entry \d+ \(.*\) contains/, 'contains');
  return text.charAt(0).toLowerCase() + text.slice(1);
}
