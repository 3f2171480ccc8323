import type { Clock } from '../../base/clock.ts';
import type { Store } from '../../base/store/database.ts';
import type { Interval, IntervalEnd, IntervalsTable, Track } from '../../base/store/intervals.ts';
import type { Stint, StintsTable } from '../../base/store/stints.ts';
import type { Sighting } from './sighting.ts';

export interface RecordParts {
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly store: Pick<Store, 'join'>;
  readonly intervals: IntervalsTable;
  readonly stints: StintsTable;
}

/** The owner was away, from when until when (epoch ms). */
export interface Absence {
  from: number;
  until: number;
}

/** What was so, when: kept as intervals while a host lives, and read for the tide and the forecast. */
export interface VitalRecord {
  /**
   * Takes a look in: writes where something has changed, and every few minutes how far it was seen.
   * Gives the absence that this look ends, where the owner has been away for a while. Throws what the
   * database throws; the next look makes up for it.
   */
  note(sighting: Sighting): Absence | null;
  /** Ends what lasts: the host stops. */
  stop(): void;
  /** How far an earlier host was seen that ended without a word, epoch ms; null where none did. */
  cutOffAt(): number | null;
  recordStint(stint: Stint): void;
  /** Those of a track that touch [from, to); what lasts goes on to the last look. */
  within(track: Track, from: number, to: number): Interval[];
  firstAt(track: Track): number | null;
  /** When the owner was last seen to leave, epoch ms; null: never. */
  lastLullAt(): number | null;
  stints: Pick<StintsTable, 'within' | 'ofJob'>;
}

const TRACKS = ['presence', 'power', 'hold'] as const;
/** Wall time that ran ahead of monotonic time by more is a sleep (as for the presence gate). */
const SLEEP_MS = 5_000;
/** Looks are at most 60 s apart; after a longer silence nobody knows what was. */
const SILENCE_MS = 180_000;
/** How often the end of what lasts is written: this much is lost in a crash. */
const EXTEND_MS = 300_000;
/** An absence worth telling of. */
const ABSENCE_MS = 30 * 60_000;
const DAY_MS = 86_400_000;
const KEPT_MS = 90 * DAY_MS;

export function openRecord(parts: RecordParts): VitalRecord {
  const { clock, store, intervals, stints } = parts;
  let last: (Sighting & { monotonic: number }) | null = null;
  let writtenAt = 0;
  let forgotAt = Number.NEGATIVE_INFINITY;

  function note(sighting: Sighting): Absence | null {
    const monotonic = clock.monotonic();
    const before = last;
    const isNew = before === null || isGap(before, sighting.now, monotonic);
    const changed = TRACKS.filter((track) => isNew || before?.[track] !== sighting[track]);
    let absence: Absence | null = null;
    if (changed.length > 0 || sighting.now - writtenAt >= EXTEND_MS) {
      store.join(() => {
        if (changed.includes('presence')) absence = absenceBefore(before, sighting);
        if (before === null) intervals.endCutOff();
        for (const track of changed) change(track, before, sighting, isNew ? 'gap' : 'change');
        intervals.extend(sighting.now, sighting.percent);
        forget(sighting.now);
      });
      writtenAt = sighting.now;
    }
    last = { ...sighting, monotonic };
    return absence;
  }

  function change(
    track: Track,
    before: Sighting | null,
    sighting: Sighting,
    how: IntervalEnd,
  ): void {
    const at = how === 'gap' ? before : sighting;
    if (before && at) intervals.end(track, at.now, at.percent, how);
    const { now, percent } = sighting;
    intervals.begin({ track, state: sighting[track], from: now, percentFrom: percent });
  }

  /** Between the end of the last presence and a new one; null where that is short, or unknown. */
  function absenceBefore(before: Sighting | null, { now, presence }: Sighting): Absence | null {
    if (presence !== 'here') return null;
    const from =
      before?.presence === 'here' ? before.now : intervals.latest('presence', 'here')?.until;
    return from !== undefined && now - from >= ABSENCE_MS ? { from, until: now } : null;
  }

  function forget(now: number): void {
    if (Math.abs(now - forgotAt) < DAY_MS) return;
    forgotAt = now;
    intervals.forget(now - KEPT_MS);
    stints.forget(now - KEPT_MS);
  }

  return {
    note,
    stop() {
      if (last === null) return;
      const { now, percent } = last;
      last = null;
      store.join(() => {
        for (const track of TRACKS) intervals.end(track, now, percent, 'stop');
      });
    },
    cutOffAt() {
      const ends = last === null ? intervals.lasting().map(({ until }) => until) : [];
      return ends.length > 0 ? Math.max(...ends) : null;
    },
    recordStint: stints.record,
    within(track, from, to) {
      const seen = last?.now ?? Number.NEGATIVE_INFINITY;
      return intervals
        .within(track, from, to)
        .map((one) => (one.ended === null ? { ...one, until: Math.max(one.until, seen) } : one))
        .filter(({ until }) => until > from);
    },
    firstAt: intervals.firstAt,
    lastLullAt: () => intervals.latest('presence', 'away')?.from ?? null,
    stints,
  };
}

/** The machine slept, the clock was set, or nobody looked for a while. */
function isGap(
  before: { now: number; monotonic: number },
  now: number,
  monotonic: number,
): boolean {
  const wall = now - before.now;
  const awake = monotonic - before.monotonic;
  return wall < 0 || wall - awake > SLEEP_MS || awake > SILENCE_MS;
}
