import { statfsSync } from 'node:fs';
import type { Rooms } from './compose.ts';
import { createAdmission } from './engine/admission/admission.ts';
import type { Kind } from './engine/supervisor/handler.ts';
import type { Log } from './engine/supervisor/ports.ts';
import { flagsOf } from './engine/vitals/flags.ts';
import { NO_PULSE, type ProcessPulse } from './engine/vitals/pulse.ts';
import { openVitals, type Vitals } from './engine/vitals/vitals.ts';
import { watchdog } from './engine/vitals/watchdog.ts';
import type { Ground } from './ground.ts';
import { watchdogKind } from './work/watchdog/watchdog.ts';

interface Signs {
  readonly log: Log;
  readonly pulse?: ProcessPulse;
}

/** The vitals of a life, the watchdog that reads them, and the kind of work its flags ask for. */
export function vitalSigns(
  rooms: Rooms,
  ground: Pick<Ground, 'home' | 'clock' | 'store' | 'config'> & Signs,
  onChange: () => void,
): { vitals: Vitals; kind: Kind } {
  const { home, clock, store, config, log, pulse = NO_PULSE } = ground;
  const { queue, router, events } = rooms;
  const admit = createAdmission({ store, queue, config });
  const vitals = openVitals({
    ...{ clock, config, store, queue, pulse, log, onChange },
    keeper: rooms.series,
    loadsSince: rooms.models.loadsSince,
    diskFreeBytes() {
      try {
        const { bavail, bsize } = statfsSync(home.dir);
        return bavail * bsize;
      } catch {
        return null;
      }
    },
    watchdog: watchdog({
      ...{ store, events },
      admit: ({ id, text }, source) =>
        admit({
          ...router.plan('watchdog'),
          class: 'housekeeping', // no full queue may keep it out
          ...{ source, title: `Look into: ${id}`, payload: { flag: id, text }, maxAttempts: 3 },
        }),
    }),
  });
  const kind = watchdogKind({
    look: (stood) => flagsOf(vitals.reading(), new Set([stood])),
    tidy: store.tidy,
  });
  return { vitals, kind };
}
