import type { Store } from '../../base/store/database.ts';
import type { EventsTable } from '../../base/store/events.ts';
import type { Admission } from '../admission/admission.ts';
import { type Flag, flagsOf, type Reading } from './flags.ts';

export interface WatchdogParts {
  readonly store: Pick<Store, 'join'>;
  readonly events: Pick<EventsTable, 'record' | 'byKind'>;
  /** Asks for the job that looks into a flag; `source` names the episode. */
  readonly admit: (flag: Flag, source: string) => Admission;
}

export interface Watchdog {
  /** Compares a reading with the limits; a flag that rises becomes one job. Throws what the database throws. */
  look(reading: Reading, now: number): void;
  /** Flags that stand now. */
  standing(): readonly string[];
}

/** Flags that rose and fell before are looked for among so many. */
const REMEMBERED = 200;

/**
 * Raises flags over crossed limits. An episode lasts from the rising to the falling of its flag, over
 * restarts too, and asks for one reactive job: the flag, its event and the job commit together.
 */
export function watchdog({ store, events, admit }: WatchdogParts): Watchdog {
  let stood: Set<string> | null = null;

  function recall(): Set<string> {
    const rose = events.byKind('watchdog.raised', REMEMBERED);
    const fell = events.byKind('watchdog.over', REMEMBERED);
    const last = new Map<string, { id: number; up: boolean }>();
    for (const { id, kind, payload } of [...rose, ...fell]) {
      const { flag } = payload as { flag: string };
      if (id > (last.get(flag)?.id ?? 0)) last.set(flag, { id, up: kind === 'watchdog.raised' });
    }
    return new Set([...last].flatMap(([flag, { up }]) => (up ? [flag] : [])));
  }

  return {
    look(reading, now) {
      const before = stood ?? recall();
      const flags = flagsOf(reading, before);
      const after = new Set(flags.map(({ id }) => id));
      const risen = flags.filter(({ id }) => !before.has(id));
      const fallen = [...before].filter((id) => !after.has(id));
      if (risen.length + fallen.length > 0) {
        store.join(() => {
          for (const flag of risen) {
            const { job } = { job: null, ...admit(flag, `watchdog:${flag.id}:${now}`) };
            events.record(now, 'watchdog.raised', job?.id ?? null, {
              flag: flag.id,
              text: flag.text,
            });
          }
          for (const flag of fallen) events.record(now, 'watchdog.over', null, { flag });
        });
      }
      stood = after;
    },
    standing: () => [...(stood ?? [])],
  };
}
