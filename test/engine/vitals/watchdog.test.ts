import { describe, expect, it } from 'vitest';
import { configSchema } from '../../../main/base/config-schema.ts';
import { createAdmission } from '../../../main/engine/admission/admission.ts';
import { createRouter } from '../../../main/engine/admission/router.ts';
import type { Reading } from '../../../main/engine/vitals/flags.ts';
import { HEALTHY } from '../../../main/engine/vitals/health.ts';
import { watchdog } from '../../../main/engine/vitals/watchdog.ts';
import { testQueue } from '../queue/test-queue.ts';

const WELL: Reading = {
  ...{ health: HEALTHY, loopDelayMs: 5, residentBytes: 2e8, logBytes: 1e6, diskFreeBytes: 5e10 },
};
const ILL: Reading = { ...WELL, residentBytes: 2e9 };

async function dogRoom() {
  const room = await testQueue();
  const { store, queue, events } = room;
  const config = () => configSchema.parse({});
  const admit = createAdmission({ store, queue, config });
  const router = createRouter(config);
  const start = () =>
    watchdog({
      ...{ store, events },
      admit: ({ id, text }, source) =>
        admit({
          ...router.plan('watchdog'),
          ...{ class: 'housekeeping', source, title: id, payload: { flag: id, text } },
        }),
    });
  return { ...room, start, jobs: () => queue.list({ limit: 20 }) };
}

describe('S6 the watchdog', () => {
  it('S6 a flag becomes one reactive job an episode, before everything else that waits', async () => {
    const { start, jobs, add, queue, events } = await dogRoom();
    for (let n = 0; n < 10; n++) add({ tier: 'routine' }); // light work is at its limit
    const { look, standing } = start();
    for (const now of [1, 2, 3]) look(ILL, now);
    expect(jobs().filter(({ kind }) => kind === 'watchdog')).toMatchObject([
      { source: 'watchdog:memory:1', tier: 'pinned', priority: 0, class: 'housekeeping' },
    ]);
    expect(queue.waiting(1)[0]?.kind).toBe('watchdog');
    expect(standing()).toEqual(['memory']);
    look(WELL, 4);
    look(ILL, 5);
    expect(jobs().filter(({ kind }) => kind === 'watchdog')).toHaveLength(2);
    expect(events.byKind('watchdog.raised', 9).map(({ job }) => job !== null)).toEqual([
      true,
      true,
    ]);
  });

  it('S6 an episode goes on over a restart, and ends there too', async () => {
    const { start, jobs, events } = await dogRoom();
    start().look(ILL, 1);
    const second = start();
    second.look(ILL, 2);
    expect(jobs()).toHaveLength(1);
    start().look(WELL, 3);
    expect(events.byKind('watchdog.over', 9)).toHaveLength(1);
    start().look(ILL, 4);
    expect(jobs()).toHaveLength(2);
  });

  it('S6 a flag and its job are stored together or not at all', async () => {
    const { store, events, start, jobs } = await dogRoom();
    const broken = watchdog({
      ...{ store, events },
      admit() {
        throw new Error('no');
      },
    });
    expect(() => broken.look(ILL, 1)).toThrow('no');
    expect(events.byKind('watchdog.raised', 9)).toEqual([]);
    expect(broken.standing()).toEqual([]);
    start().look(ILL, 2);
    expect(jobs()).toHaveLength(1);
  });
});
