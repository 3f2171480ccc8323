import { readdirSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FakeClock } from '../support/fake-clock.ts';
import { hostHere, testHome, until } from '../support/host.ts';

const STOCK = Buffer.from(
  'sku,name,on hand,reorder point,unit cost\nJAR-L,Large jar,1,6,1.20\nJAR-S,Small jar,9,6,0.80\n',
).toString('base64');

async function living(facts: object = { idleSeconds: 3, powerSource: 'mains' }) {
  const home = testHome(facts);
  const clock = new FakeClock();
  return { home, clock, ...(await hostHere(home, clock)) };
}

describe('the commands of the contract, on a whole host', () => {
  it('Q1 add, show, cancel, retry: each on the job it names, and no further', async () => {
    const { call } = await living();
    const task = { text: 'Think.', identity: 'click-1' };
    const { job } = await call('jobs.add', task);
    expect(await call('jobs.add', task)).toEqual({ job, outcome: 'duplicate' });
    await expect(call('jobs.add', { ...task, text: 'Else.' })).rejects.toMatchObject({
      code: 'conflict',
    });
    await expect(call('jobs.retry', { id: job })).rejects.toMatchObject({ code: 'conflict' });
    expect(await call('jobs.cancel', { id: job })).toMatchObject({ id: job, state: 'cancelled' });
    await expect(call('jobs.cancel', { id: job })).rejects.toMatchObject({
      ...{ code: 'conflict', message: `job ${job} has ended: it is cancelled` },
    });
    const again = await call('jobs.retry', { id: job });
    expect(again).toEqual({ job: job + 1, outcome: 'admitted' });
    expect(await call('jobs.retry', { id: job })).toEqual(again);
    expect(await call('jobs.show', { id: again.job })).toMatchObject({
      ...{ retryOf: job, state: 'queued', title: 'Think.', prompt: 'Think.' },
    });
    expect(await call('jobs.list', { state: 'queued' })).toHaveLength(1);
    expect(await call('jobs.list', { before: again.job })).toMatchObject([{ id: job }]);
  });

  it('Q1 a running job is asked to stop, and says so until it has', async () => {
    const home = testHome();
    const clock = new FakeClock();
    const { call, calm } = await hostHere(home, clock, { offlineDelayMs: 60_000 });
    const { job } = await call('jobs.add', { text: 'Think.' });
    for (let n = 0; n < 50; n++) await clock.advance(1);
    expect(await call('jobs.cancel', { id: job })).toMatchObject({
      ...{ state: 'running', reason: 'Stops at its next step.' },
    });
    await clock.advance(10_000);
    await calm();
    expect(await call('jobs.show', { id: job })).toMatchObject({ state: 'cancelled' });
  });

  it('G4 pause and resume: for a time, until a time, one scope or both', async () => {
    const { call, clock } = await living();
    const until = clock.now() + 600_000;
    expect(await call('pause', { scope: 'heavy', forSeconds: 600 })).toEqual({
      ...{ all: null, heavy: { until } },
    });
    expect(await call('pause', { until: until + 1 })).toEqual({
      ...{ all: { until: until + 1 }, heavy: { until } },
    });
    for (const past of [clock.now(), clock.now() - 1]) {
      await expect(call('pause', { until: past })).rejects.toMatchObject({ code: 'invalid' });
    }
    await expect(call('pause', { until, forSeconds: 1 })).rejects.toMatchObject({
      code: 'invalid',
    });
    expect(await call('resume', { scope: 'all' })).toEqual({ all: null, heavy: { until } });
    expect(await call('pause', { scope: 'all' })).toMatchObject({ all: { until: null } });
    expect(await call('resume', {})).toEqual({ all: null, heavy: null });
    expect(await call('resume', {})).toEqual({ all: null, heavy: null });
  });

  it('G1 the owner’s word on presence goes before what is measured, until it is taken back', async () => {
    const { call, calm, clock } = await living();
    const { job } = await call('jobs.add', { text: 'Think.' });
    const until = clock.now() + 60_000;
    expect(await call('presence.override', { say: 'away', forSeconds: 60 })).toEqual({
      ...{ present: false, until },
    });
    await calm();
    expect((await call('jobs.show', { id: job })).state).toBe('done');
    expect(await call('presence.override', { say: 'present' })).toEqual({
      ...{ present: true, until: null },
    });
    const next = await call('jobs.add', { text: 'Think again.' });
    expect(await call('why', { job: next.job })).toMatchObject([{ code: 'said-here' }]);
    expect(await call('presence.override', { say: 'clear' })).toBeNull();
    expect(await call('why', { job: next.job })).toMatchObject([{ code: 'active' }]);
  });

  it('D5 run now asks what it would waive, and runs that job alone when confirmed', async () => {
    const { call, calm } = await living();
    const { job } = await call('jobs.add', { text: 'Think.' });
    const other = await call('jobs.add', { text: 'Think too.' });
    expect(await call('jobs.runNow', { id: job })).toMatchObject({ outcome: 'asks', job });
    await calm();
    expect((await call('jobs.show', { id: job })).state).toBe('queued');
    expect(await call('jobs.runNow', { id: job, confirm: true })).toMatchObject({
      outcome: 'runs',
    });
    await calm();
    expect((await call('jobs.show', { id: job })).state).toBe('done');
    expect((await call('jobs.show', { id: other.job })).state).toBe('queued');
    await expect(call('jobs.runNow', { id: job })).rejects.toMatchObject({ code: 'conflict' });
  });

  it('P4 P5 stock and watches: what is watched is marked, and what is wrong changes nothing', async () => {
    const { call } = await living();
    const dry = await call('stock.import', { name: 's.csv', content: STOCK, dryRun: true });
    expect(dry).toMatchObject({ dryRun: true, added: 2 });
    expect(await call('stock.list', {})).toEqual([]);
    await call('stock.import', { name: 's.csv', content: STOCK });
    const watch = { id: 'jars', sku: 'JAR-L' };
    expect(await call('watch.add', watch)).toMatchObject({ ...watch, enabled: true });
    expect(await call('stock.list', {})).toMatchObject([
      { sku: 'JAR-L', needed: 5, watched: true },
      { sku: 'JAR-S', needed: 0, watched: false },
    ]);
    expect(await call('stock.list', { after: 'JAR-L', limit: 1 })).toMatchObject([
      { sku: 'JAR-S' },
    ]);
    await expect(call('watch.add', { id: 'jars', sku: 'JAR-S' })).rejects.toMatchObject({
      code: 'conflict',
    });
    const sale = { sku: 'JAR-S', delta: -2, reason: 'market', event: 'e1' };
    expect(await call('stock.adjust', sale)).toEqual({ outcome: 'applied', onHand: 7 });
    expect(await call('stock.adjust', sale)).toEqual({ outcome: 'duplicate', onHand: 7 });
    expect(await call('watch.remove', { id: 'jars' })).toMatchObject({ enabled: false });
    expect((await call('stock.list', {}))[0]?.watched).toBe(false);
    expect((await call('panel', {})).stock).toEqual(await call('stock.list', {}));
  });

  it('P1 P2 schedules: add, edit, turn off and on, preview of one that is stored or is not', async () => {
    const { call, clock } = await living();
    const rule = { kind: 'interval' as const, everySeconds: 3600, first: clock.now() + 1000 };
    await call('schedule.add', { id: 'brief', prompt: 'Look.', rule });
    expect(await call('schedule.list', {})).toMatchObject([{ id: 'brief', revision: 1 }]);
    expect(await call('schedule.edit', { id: 'brief', prompt: 'Look well.' })).toMatchObject({
      ...{ revision: 2, prompt: 'Look well.', rule },
    });
    expect(await call('schedule.edit', { id: 'brief', tier: 'synthesis' })).toMatchObject({
      ...{ revision: 3, prompt: 'Look well.', tier: 'synthesis' },
    });
    expect(await call('schedule.edit', { id: 'brief', tier: null })).toMatchObject({ tier: null });
    expect(await call('schedule.disable', { id: 'brief' })).toMatchObject({
      ...{ enabled: false, nextDue: null },
    });
    expect(await call('schedule.enable', { id: 'brief' })).toMatchObject({ enabled: true });
    const stored = await call('schedule.preview', { id: 'brief', count: 2 });
    expect(stored.map(({ at }) => at)).toEqual([rule.first, rule.first + 3_600_000]);
    expect(await call('schedule.preview', { rule, count: 2 })).toEqual(stored);
    await expect(call('schedule.preview', {})).rejects.toMatchObject({ code: 'invalid' });
  });

  it('D4 drafts: listed, shown, dismissed and taken back, approved once', async () => {
    const { call, calm, clock, home } = await living();
    await call('stock.import', { name: 's.csv', content: STOCK });
    await call('watch.add', { id: 'jars', sku: 'JAR-L' });
    await calm();
    const [draft] = await call('drafts.list', { state: 'pending' });
    const id = draft?.id ?? 0;
    expect(await call('drafts.dismiss', { id })).toMatchObject({ state: 'dismissed' });
    expect(await call('drafts.restore', { id })).toMatchObject({ state: 'pending' });
    await clock.advance(1000);
    const applied = await call('drafts.approve', { id });
    expect(applied).toMatchObject({ outcome: 'applied' });
    expect(await call('drafts.approve', { id })).toEqual(applied);
    expect(JSON.stringify(applied)).toContain(`${id}.csv`);
    expect((await call('drafts.show', { id })).state).toBe('applied');
    expect((await call('status', {})).drafts.pending).toBe(0);
    await expect(call('drafts.show', { id: 99 })).rejects.toMatchObject({ code: 'not_found' });
    expect(readdirSync(home.orders).sort()).toEqual([`${id}.csv`, `${id}.md`]);
  });

  it('D6 settings are read and set by their key, and a wrong one changes nothing', async () => {
    const { call } = await living();
    expect(await call('config.set', { key: 'power.floorPercent', value: 33 })).toBe(33);
    expect(await call('config.get', { key: 'power.floorPercent' })).toBe(33);
    expect(await call('config.get', {})).toMatchObject({ power: { floorPercent: 33 } });
    for (const [key, value] of [
      ['power.floorPercent', 300],
      ['power.flor', 3],
      ['', 3],
    ] as const) {
      await expect(call('config.set', { key, value })).rejects.toMatchObject({ code: 'invalid' });
    }
    await expect(call('config.get', { key: 'power.flor' })).rejects.toBeDefined();
    expect(await call('config.get', { key: 'power.floorPercent' })).toBe(33);
  });

  it('D3 a notice is put away once, and is not there twice', async () => {
    const { call, home, clock } = await living();
    writeFileSync(home.config, '{ "power": ');
    const [notice] = await until(async () => {
      await clock.advance(200);
      const { notices } = await call('panel', {});
      return notices.length > 0 && notices;
    });
    const id = notice?.id ?? 0;
    expect(notice).toMatchObject({ count: 1, text: expect.stringContaining('config.json') });
    expect(await call('notices.acknowledge', { id })).toEqual({});
    expect((await call('panel', {})).notices).toEqual([]);
    await expect(call('notices.acknowledge', { id })).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('D9 the doctor tells of this very host', async () => {
    const { call } = await living({ idleSeconds: 3 });
    const { probes, checks } = await call('doctor', {});
    expect(probes.find(({ fact }) => fact === 'idleSeconds')).toMatchObject({ value: '3' });
    expect(checks.filter(({ ok }) => ok !== true)).toEqual([
      { name: 'sleep', ok: false, detail: 'system sleep is not held off here' },
      {
        ...{ name: 'model servers', ok: null },
        detail: 'none is configured: the offline model answers, deterministic and labelled as such',
      },
    ]);
  });
});
