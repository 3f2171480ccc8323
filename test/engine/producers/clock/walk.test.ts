import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { MissedPolicy } from '../../../../main/engine/producers/clock/missed.ts';
import {
  countBetween,
  droppedBetween,
  nextAfter,
  type Rule,
} from '../../../../main/engine/producers/clock/rule.ts';
import type { Schedule } from '../../../../main/engine/producers/clock/schedules.ts';
import { morning, producerRoom } from '../room.ts';

const START = Date.parse('2025-03-08T00:00Z');

const policies = fc.oneof(
  fc.constantFrom<MissedPolicy>({ kind: 'coalesce' }, { kind: 'skip' }),
  fc
    .integer({ min: 30, max: 20_000 })
    .map((seconds): MissedPolicy => ({ kind: 'within', seconds })),
  fc.integer({ min: 1, max: 12 }).map((atMost): MissedPolicy => ({ kind: 'replay', atMost })),
);
const rules = fc.oneof(
  fc
    .integer({ min: 60, max: 20_000 })
    .map((everySeconds): Rule => ({ kind: 'interval', everySeconds, first: START })),
  fc
    .tuple(
      fc.constantFrom('*/20 * * * *', '30 2 * * *', '15,45 1,2,3 * * *', '0 0 * * 0,1'),
      fc.constantFrom('America/New_York', 'Asia/Kathmandu'),
    )
    .map(([expression, zone]): Rule => ({ kind: 'cron', expression, zone })),
);

/** What happens between two passes: time passes, the machine sleeps, or someone sets the clock. */
type Step =
  | { do: 'pass' | 'pause' | 'resume' | 'hold' | 'release' | 'finish' | 'expire' }
  | { do: 'move'; ms: number };

const steps = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.constantFrom<Step>(
        { do: 'pass' },
        { do: 'pass' },
        { do: 'pause' },
        { do: 'resume' },
        { do: 'resume' },
        { do: 'hold' },
        { do: 'release' },
        { do: 'finish' },
        { do: 'expire' },
      ),
    },
    {
      weight: 4,
      arbitrary: fc.integer({ min: 0, max: 7_200_000 }).map((ms): Step => ({ do: 'move', ms })),
    },
    {
      weight: 1,
      arbitrary: fc
        .integer({ min: -7_200_000, max: 200_000_000 })
        .map((ms): Step => ({ do: 'move', ms })),
    },
  ),
  { minLength: 5, maxLength: 60 },
);

describe('a clock that wanders', () => {
  it('P1 no occurrence is admitted twice, and none vanishes uncounted', async () => {
    await fc.assert(
      fc.asyncProperty(
        rules,
        policies,
        steps,
        fc.integer({ min: 1, max: 5 }),
        async (rule, missed, walk, capacity) => {
          const room = await producerRoom(capacity);
          room.now = START;
          room.schedules.add(morning({ rule, missed }));
          const first = room.schedules.list()[0]?.nextDue as number;
          for (const step of walk) {
            if (step.do === 'move') room.now += step.ms;
            else if (step.do === 'pass') room.clockPass(room.now, 3);
            else if (step.do === 'finish') room.finishJobs();
            else if (step.do === 'expire') room.queue.expire(room.now);
            else if (step.do === 'hold') room.held.add('routine');
            else if (step.do === 'release') room.held.clear();
            else if (step.do === 'pause') room.pause();
            else room.resume();
          }
          const schedule = room.schedules.list()[0] as Schedule;
          const next = schedule.nextDue as number;
          const jobs = room.jobs();
          const dues = jobs.map((job) => Number(job.source.split(':').at(-1)));
          // Each admitted occurrence is one of the rule's, once, in order, and before the next due.
          expect(dues).toEqual([...new Set(dues)].sort((a, b) => a - b));
          for (const due of dues) {
            expect(nextAfter(rule, due - 1)).toBe(due);
            expect(due).toBeLessThan(next);
          }
          const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
          const leftOut = sum(droppedBetween(rule, first, next).map((day) => day.count));
          const passed = countBetween(rule, first - 1, next - 1) + leftOut;
          const { admittedCount, coalescedCount, droppedCount } = schedule;
          expect(admittedCount + coalescedCount + droppedCount).toBe(passed);
          // Each of the three can be told from what is stored elsewhere.
          const closed = jobs.filter((job) => job.state === 'missed').length;
          expect(admittedCount).toBe(jobs.length - closed);
          expect(coalescedCount).toBe(sum(jobs.map((job) => job.coalesced)));
          expect(droppedCount).toBe(
            closed + sum(room.events('wake.job.missed').map((event) => Number(event.missed))),
          );
          room.store.close();
        },
      ),
      { numRuns: 50 },
    );
  });
});
