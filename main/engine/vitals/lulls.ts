import type { Interval } from '../../base/store/intervals.ts';
import { common, merged, type Span } from './spans.ts';

/** The states of these intervals, as merged spans. */
export function spansOf(intervals: readonly Interval[], ...states: readonly string[]): Span[] {
  return merged(intervals.filter(({ state }) => states.includes(state)));
}

/**
 * The lulls that were: the owner away, and the machine on mains (or on anything, where the settings
 * let heavy work run on battery). Pauses and hours are left out: they are the owner's choice of the
 * day, and say nothing about the next one.
 */
export function lullsOf(
  presence: readonly Interval[],
  power: readonly Interval[],
  { shedOnBattery }: { shedOnBattery: boolean },
): Span[] {
  const powered = shedOnBattery
    ? spansOf(power, 'mains')
    : spansOf(power, 'mains', 'battery', 'unknown');
  return common(spansOf(presence, 'away'), powered);
}
