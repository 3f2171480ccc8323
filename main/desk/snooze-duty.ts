import type { SnoozesTable } from '../base/store/snoozes.ts';
import type { Duty } from '../engine/supervisor/ports.ts';
import type { VitalRecord } from '../engine/vitals/record.ts';

/** Snoozed drafts come back when their time has come, or with the lull that was waited for. */
export function snoozeDuty(
  snoozes: Pick<SnoozesTable, 'count' | 'endTimed' | 'endAtLull' | 'nextEnd'>,
  record: Pick<VitalRecord, 'lastLullAt'>,
): Duty {
  return {
    name: 'snoozes',
    nextDueAt: snoozes.nextEnd,
    runOnce(now) {
      if (snoozes.count() === 0) return 0;
      const lull = record.lastLullAt();
      return snoozes.endTimed(now) + (lull === null ? 0 : snoozes.endAtLull(lull));
    },
  };
}
