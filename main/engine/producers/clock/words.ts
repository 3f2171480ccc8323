import { cronFields, cronLine } from './cron.ts';
import type { Rule } from './rule.ts';

const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const WEEKDAY_CODES = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];
const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

/** A rule in words: "every 10 s", "every day at 07:00, Europe/Berlin". The rule must be valid. */
export function ruleText(rule: Rule): string {
  if (rule.kind === 'interval') return `every ${spanText(rule.everySeconds)}`;
  return `${cronText(rule.expression)}, ${rule.zone}`;
}

/** Seconds in the largest unit that divides them; a day of clock time is 24 h, not a calendar day. */
function spanText(seconds: number): string {
  if (seconds % 86_400 === 0 && seconds > 86_400) return `${seconds / 86_400} days`;
  if (seconds % 3600 === 0) return `${seconds / 3600} h`;
  if (seconds % 60 === 0) return `${seconds / 60} min`;
  return `${seconds} s`;
}

function cronText(expression: string): string {
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = cronFields(expression).map(
    (field) => (field === '?' ? '*' : field.toUpperCase()),
  );
  const time = timeText(expression, minute, hour);
  const date = dateText(day, month, weekday);
  if (time === null || date === null) return `cron ${cronFields(expression).join(' ')}`;
  if (time.startsWith('at ')) return `${date} ${time}`;
  return date === 'every day' ? time : `${time}, ${date}`;
}

function timeText(expression: string, minute: string, hour: string): string | null {
  if (hour === '*') {
    if (minute === '*') return 'every minute';
    if (/^\d+$/.test(minute)) return `every hour at :${two(Number(minute))}`;
    const step = stepOf(minute, 60);
    return step === null ? null : `every ${step} min`;
  }
  const step = stepOf(hour, 24);
  if (step !== null && /^\d+$/.test(minute)) return `every ${step} h at :${two(Number(minute))}`;
  const { minutes } = cronLine(expression);
  if (minutes.length > 4) return null;
  const times = minutes.map((at) => `${two(Math.floor(at / 60))}:${two(at % 60)}`);
  return `at ${listText(times)}`;
}

/** The n of "every n", where it divides the whole evenly, as else the rhythm breaks. */
function stepOf(field: string, whole: number): number | null {
  const step = Number(/^\*\/(\d+)$/.exec(field)?.[1]);
  return step > 1 && whole % step === 0 ? step : null;
}

function dateText(day: string, month: string, weekday: string): string | null {
  if (day === '*' && month === '*') return weekday === '*' ? 'every day' : weekdayText(weekday);
  if (weekday !== '*') return null;
  if (day === 'L' && month === '*') return 'on the last day of every month';
  if (!/^\d+$/.test(day)) return null;
  if (month === '*') return `on day ${Number(day)} of every month`;
  const name = /^\d+$/.test(month)
    ? MONTHS[Number(month) - 1]
    : MONTHS.find((full) => full.slice(0, 3).toUpperCase() === month);
  return name ? `every year on ${Number(day)} ${name}` : null;
}

function weekdayText(field: string): string | null {
  const range = /^(\w+)-(\w+)$/.exec(field);
  if (range) {
    const [from, to] = [weekdayName(range[1]), weekdayName(range[2])];
    return from && to ? `${from} to ${to}` : null;
  }
  const names = field.split(',').map(weekdayName);
  return names.every((name) => name !== null) ? `every ${listText(names)}` : null;
}

function weekdayName(code: string | undefined): string | null {
  const number = /^\d$/.test(code ?? '') ? Number(code) % 7 : WEEKDAY_CODES.indexOf(code ?? '');
  return WEEKDAYS[number] ?? null;
}

function listText(words: readonly string[]): string {
  if (words.length < 2) return words.join('');
  return `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}
