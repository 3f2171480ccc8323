import { HttpFault } from '../model-server/http.ts';

/** 2^63 - 1 nanoseconds: the year 2318 or so. */
const FOREVER_MS = 9_223_372_036_854;

const UNITS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/** Milliseconds of a `keep_alive`: a number is seconds, a string needs its units, negative is for ever. */
export function readKeepAlive(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number') return value < 0 ? FOREVER_MS : value * 1000;
  const text = String(value);
  if (/^[-+]?0$/.test(text)) return 0;
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ns|us|ms|s|m|h)/g)];
  const sign = text.startsWith('-') ? '-' : '';
  if (parts.length === 0 || sign + parts.map((part) => part[0]).join('') !== text) {
    throw new HttpFault(400, `time: missing unit in duration "${text}"`);
  }
  if (sign) return FOREVER_MS;
  return parts.reduce((sum, part) => sum + Number(part[1]) * (UNITS[part[2] ?? ''] ?? 0), 0);
}
