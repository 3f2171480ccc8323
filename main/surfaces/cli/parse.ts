import { InvalidArgumentError } from 'commander';
import type { Clock } from '../../base/clock.ts';
import { LullError } from '../../base/errors.ts';
import type { MissedPolicy } from '../contract.ts';
import { parseDuration, parseMoment } from './moment.ts';

/** Readers of option values. Each refuses in words that end the line "… is invalid." */

export function readId(text: string): number {
  const id = /^#?\d{1,15}$/.test(text) ? Number(text.replace('#', '')) : 0;
  if (id < 1) throw new InvalidArgumentError('It must be a number, as in the listing.');
  return id;
}

export function readWhole(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = /^[+-]?\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= least && value <= most)) {
      throw new InvalidArgumentError(
        least === Number.MIN_SAFE_INTEGER
          ? 'It must be a whole number.'
          : `It must be a whole number from ${least} to ${most}.`,
      );
    }
    return value;
  };
}

export function readDuration(text: string): number {
  const seconds = parseDuration(text);
  if (seconds === null) {
    throw new InvalidArgumentError('Write at least 1 s, for example 90m, 1h30m, 10s or 2d.');
  }
  return seconds;
}

export function momentReader(clock: Pick<Clock, 'now'>): (text: string) => number {
  return (text) => {
    const at = parseMoment(text, clock.now());
    if (at === null) {
      throw new InvalidArgumentError('Write 08:00, 2026-05-01T08:00 or 2026-05-01T08:00:00Z.');
    }
    return at;
  };
}

/** A moment that must still come. */
export function futureReader(clock: Pick<Clock, 'now'>): (text: string) => number {
  const read = momentReader(clock);
  return (text) => {
    const at = read(text);
    if (at <= clock.now()) throw new InvalidArgumentError('It is in the past.');
    return at;
  };
}

export function readMissed(text: string): MissedPolicy {
  if (text === 'coalesce' || text === 'skip') return { kind: text };
  const [kind, value = ''] = text.split(':', 2);
  const seconds = kind === 'within' ? parseDuration(value) : null;
  if (seconds !== null) return { kind: 'within', seconds };
  if (kind === 'replay' && /^\d{1,4}$/.test(value) && Number(value) >= 1) {
    return { kind: 'replay', atMost: Number(value) };
  }
  throw new InvalidArgumentError('Write coalesce, skip, within:2h or replay:N.');
}

/**
 * The value of an option that must be given. Not left to the parser: it would complain of the missing
 * one before it suggests a name for a mistyped one.
 */
export function needed<T>(value: T | undefined, flag: string): T {
  if (value === undefined) throw new LullError('invalid', `${flag} is missing`);
  return value;
}
