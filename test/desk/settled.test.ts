import { describe, expect, it } from 'vitest';
import { noticesTable } from '../../main/base/store/notices.ts';
import { notifier } from '../../main/desk/notices.ts';
import { settled } from '../../main/desk/settled.ts';
import type { Outcome } from '../../main/engine/supervisor/handler.ts';
import { aJob } from '../support/scripted-model.ts';
import { temporaryStore } from '../support/store.ts';

async function room() {
  const store = await temporaryStore();
  const table = noticesTable(store.db);
  const notices = notifier(table);
  let now = 0;
  return {
    open: () => table.open(10).map(({ text, count }) => ({ text, count })),
    end(outcome: Outcome, title = 'Morning brief', tier: 'routine' | 'synthesis' = 'routine') {
      now += 1000;
      settled(notices, aJob({ title, tier }), outcome, now);
    },
  };
}

const FAILED: Outcome = { kind: 'failed', error: 'the model has no such tool' };
const DONE: Outcome = { kind: 'done', landing: { result: 'x' } };
const GONE: Outcome = {
  ...{ kind: 'deferred', code: 'model-unreachable', reviveAt: 1 },
  reason: 'the model server cannot be reached: refused',
};

describe('what is told when a run has ended', () => {
  it('D3 a failure is told once per cause, counted while it lasts, and over when the work succeeds', async () => {
    const { open, end } = await room();
    end(FAILED);
    end(FAILED);
    end(FAILED, 'Evening brief');
    expect(open()).toMatchObject([
      { text: '"Evening brief" failed: the model has no such tool.', count: 1 },
      { text: '"Morning brief" failed: the model has no such tool.', count: 2 },
    ]);
    end(DONE);
    expect(open()).toMatchObject([{ text: expect.stringContaining('Evening brief') }]);
  });

  it('D3 a server that cannot be reached is told of once for a tier, till work is done there', async () => {
    const { open, end } = await room();
    end(GONE);
    end(GONE, 'Evening brief');
    end(GONE, 'A task', 'synthesis');
    expect(open().map(({ count }) => count)).toEqual([1, 2]);
    end(DONE, 'Something else');
    expect(open()).toHaveLength(1);
  });

  it.each<[string, Outcome]>([
    ['is done', DONE],
    ['yields', { kind: 'yielded', cause: 'returned' }],
    ['waits for room', { kind: 'deferred', code: 'ceiling', reason: 'full', reviveAt: null }],
    ['will be tried again', { kind: 'retry', error: 'nonsense', afterMs: 1000 }],
  ])('D3 nothing is said of a run that %s', async (_what, outcome) => {
    const { open, end } = await room();
    end(outcome);
    expect(open()).toEqual([]);
  });
});
