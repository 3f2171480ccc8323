import type { Tier } from '../../base/config-schema.ts';
import type { ConditionsTable } from '../../base/store/conditions.ts';
import type { Store } from '../../base/store/database.ts';
import type { EventsTable } from '../../base/store/events.ts';
import type { SchedulesTable } from '../../base/store/schedules.ts';
import type { Queue } from '../queue/queue.ts';
import type { Duty } from '../supervisor/ports.ts';
import { createClockDuty } from './clock/duty.ts';
import { createClockPass } from './clock/pass.ts';
import { createConditionDuty } from './conditions/duty.ts';
import { createConditionPass, type Need } from './conditions/pass.ts';
import type { Admit } from './work-request.ts';

export interface DutyParts {
  readonly store: Pick<Store, 'tx' | 'written'>;
  readonly schedules: SchedulesTable;
  readonly conditions: ConditionsTable;
  readonly events: Pick<EventsTable, 'record'>;
  readonly queue: Pick<Queue, 'countOnto'>;
  readonly admit: Admit;
  readonly paused: (now: number) => boolean;
  readonly held: (tier: Tier) => boolean;
  readonly needOf: (sku: string) => Need | null;
  readonly onProblem: (condition: string, problem: string) => void;
}

/** The producers as duties of the supervisor, in the order of their passes. */
export function producerDuties(parts: DutyParts): Duty[] {
  const { store, schedules, conditions, events, queue, admit, paused } = parts;
  const shared = { tx: store.tx, record: events.record, paused, admit };
  const clock = createClockPass({
    ...shared,
    schedules,
    held: parts.held,
    countOnto: queue.countOnto,
  });
  const stock = createConditionPass({
    ...shared,
    conditions,
    written: store.written,
    needOf: parts.needOf,
  });
  return [
    createClockDuty(schedules, clock),
    createConditionDuty(stock, ({ condition, problem }) => parts.onProblem(condition, problem)),
  ];
}
