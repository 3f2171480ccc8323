import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WorkerFault } from '../../main/engine/workers/fault.ts';
import { inbox } from '../../main/engine/workers/inbox.ts';
import { workerMessage } from '../../main/engine/workers/protocol.ts';
import { cases, valuesOf, WILD } from './arbitrary.ts';
import { wrongWords } from './digest.ts';

const CLAIM = { id: 3, claimNo: 2 };
const NAMED = fc.oneof(
  { weight: 9, arbitrary: fc.constant({ job: CLAIM.id, claim: CLAIM.claimNo }) },
  { weight: 1, arbitrary: fc.constantFrom({ job: 4, claim: 2 }, { job: 3, claim: 1 }) },
);
/** What a worker process may send: good messages of any kind, spoiled ones, and no messages at all. */
const TEXT = fc.oneof(
  {
    weight: 10,
    arbitrary: fc
      .tuple(valuesOf(workerMessage, 60), NAMED)
      .map(([message, named]) =>
        text(typeof message === 'object' && message ? { ...message, ...named } : message),
      ),
  },
  { weight: 2, arbitrary: WILD.map(text) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 60 }) },
);

function text(value: unknown): string {
  return JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? String(one) : one)) ?? '';
}

describe('the worker protocol under fire', () => {
  it('S4 whatever a worker says is a message of its own claim in its order, or a fault in one line', () => {
    const met = { taken: 0, faults: 0 };
    fc.assert(
      fc.property(fc.array(TEXT, { maxLength: 12 }), (texts) => {
        const { take } = inbox(CLAIM);
        let last = 0;
        let over = false;
        for (const [now, said] of texts.entries()) {
          try {
            const message = take(said, now);
            met.taken += 1;
            expect(over).toBe(false);
            expect([message.job, message.claim]).toEqual([CLAIM.id, CLAIM.claimNo]);
            if ('id' in message) {
              expect(message.id).toBeGreaterThan(last);
              last = message.id;
            }
            over = message.type === 'ended' || message.type === 'threw';
          } catch (error) {
            if (!(error instanceof WorkerFault)) throw error;
            met.faults += 1;
            expect([said, error.message, wrongWords(error.message)]).toEqual([
              said,
              error.message,
              null,
            ]);
          }
        }
      }),
      cases(500),
    );
    expect(Math.min(met.taken, met.faults), JSON.stringify(met)).toBeGreaterThan(100);
  });
});
