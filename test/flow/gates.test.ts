import { describe, expect, it } from 'vitest';
import type { JobRow, StatusView, WhyRow } from '../../main/surfaces/contract.ts';
import { ALONE, FLIPPED, type Row } from '../engine/gates/facts-table.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { QUIET_NIGHT } from '../support/fixed-facts.ts';
import {
  AWAY,
  type HostHere,
  hostHere,
  hostThere,
  lull,
  testHome,
  until,
} from '../support/host.ts';

type Home = ReturnType<typeof testHome>;

/** With these facts: what the gate says, which of a light and a heavy job start, and why the rest waits. */
async function check(home: Home, { call, calm }: HostHere, row: Row, facts: object): Promise<void> {
  home.setFacts(facts);
  const status = await call('status', {});
  const gate = status.gates.find(({ id }) => id === row.gate);
  expect(gate).toMatchObject({ code: row.code, reason: row.sentence });

  const light = (await call('jobs.add', { text: 'A light one.', tier: 'routine' })).job;
  const heavy = (await call('jobs.add', { text: 'A heavy one.', tier: 'synthesis' })).job;
  await calm();
  const started = async (id: number) =>
    (await call('jobs.show', { id })).state === 'done' ? 'starts' : 'waits';
  expect([await started(light), await started(heavy)]).toEqual([row.light, row.heavy]);

  const closed = status.gates.find(({ open }) => !open);
  const waiting = await call('why', {});
  for (const { job, code, reason } of waiting) {
    expect(code).toBe(closed?.code);
    expect(reason.startsWith(closed?.reason ?? '?')).toBe(true);
    await call('jobs.cancel', { id: job });
  }
  const waits = [row.light, row.heavy].filter((one) => one === 'waits');
  expect(waiting).toHaveLength(waits.length);
  if (waits.length === 0) expect(closed).toBeUndefined();
}

describe('each fact, flipped alone under a running host', () => {
  it('G6 G1 G3 G5 a quiet night with one fact changed: gate, code, sentence, and what starts', async () => {
    const home = testHome(QUIET_NIGHT);
    const host = await hostHere(home, new FakeClock());
    for (const row of FLIPPED) {
      await check(home, host, row, { ...QUIET_NIGHT, ...row.facts }).catch((error) => {
        throw new Error(`${row.change}: ${error.message}`);
      });
    }
  });

  it('G6 G1 G3 a machine that says nothing else: idle for 900 s on mains is enough', async () => {
    const home = testHome(QUIET_NIGHT);
    const host = await hostHere(home, new FakeClock());
    for (const row of ALONE) {
      await check(home, host, row, row.facts).catch((error) => {
        throw new Error(`${row.change}: ${error.message}`);
      });
    }
    expect(ALONE.find((row) => row.heavy === 'starts')?.facts).toEqual(AWAY);
  });

  it('G6 by the command line: facts that change are seen, and `why` says what `status` says', async () => {
    const home = testHome({ idleSeconds: 42, powerSource: 'mains' });
    const host = await hostThere(home);
    const status = async () => (await lull(home, ['status', '--json'])).json<StatusView>();
    const [added, light] = await Promise.all([
      lull(home, ['add', 'Heavy.', '--json']),
      lull(home, ['add', 'Light.', '--tier', 'routine', '--json']),
    ]);
    const { job } = added.json<{ job: number }>();
    const stateOf = async (id: number) =>
      (await lull(home, ['jobs', 'show', String(id), '--json'])).json<JobRow>().state;
    const seen = await status();
    expect(seen.line).toMatch(/^Waiting for you to step away/);
    const [why] = (await lull(home, ['why', String(job), '--json'])).json<WhyRow[]>();
    expect(why).toMatchObject({
      ...{ job, code: 'active', reason: seen.gates.find((gate) => !gate.open)?.reason },
      forecast: expect.stringMatching(/^earliest in 4 min \d+ s, if you stay away/),
    });
    expect((await lull(home, ['why'])).out).toContain('You are here: last input 0:42 ago');
    expect(await stateOf(light.json<{ job: number }>().job)).toBe('done');

    home.setFacts({ idleSeconds: 900, onBattery: true, percent: 60 });
    await until(async () => (await status()).line.startsWith('On battery'), 5_000);
    home.setFacts(AWAY);
    await until(async () => (await stateOf(job)) === 'done', 5_000);
    expect((await lull(home, ['why', '--json'])).json()).toEqual([]);
    expect(await host.stop()).toBe(0);
  });
});

describe('many that wait', () => {
  it('Q7 ten waiting heavy jobs refuse no light one, nor ten light ones a heavy one', async () => {
    const home = testHome({ idleSeconds: 0, powerSource: 'mains' });
    const clock = new FakeClock();
    const { call, calm } = await hostHere(home, clock);
    for (let n = 0; n < 10; n++) await call('jobs.add', { text: `Heavy ${n}.` });
    const light = await call('jobs.add', { text: 'Light.', tier: 'routine' });
    await calm();
    expect((await call('jobs.show', { id: light.job })).state).toBe('done');
    expect((await call('status', {})).queue).toEqual({ queued: 10, running: 0, deferred: 0 });

    const later = clock.now() + 3_600_000;
    for (let n = 0; n < 10; n++) {
      await call('jobs.add', { text: `Light ${n}.`, tier: 'routine', notBefore: later });
    }
    const full = call('jobs.add', { text: 'One more.', tier: 'routine' });
    await expect(full).rejects.toMatchObject({ code: 'queue_full' });
    await expect(call('jobs.add', { text: 'Heavy.' })).resolves.toMatchObject({
      outcome: 'admitted',
    });
  });

  it('Q7 a hundred waiting heavy jobs refuse the next, and nothing of it is stored', async () => {
    const home = testHome({ idleSeconds: 0, powerSource: 'mains' });
    const { call } = await hostHere(home, new FakeClock());
    for (let n = 0; n < 100; n++) await call('jobs.add', { text: `Heavy ${n}.` });
    await expect(call('jobs.add', { text: 'One more.' })).rejects.toMatchObject({
      ...{ code: 'queue_full', hint: expect.stringContaining('queue.heavyCapacity') },
    });
    expect((await call('status', {})).queue.queued).toBe(100);
    await expect(call('jobs.add', { text: 'L.', tier: 'routine' })).resolves.toBeDefined();
  });
});

describe('pauses', () => {
  it('G4 survive a restart, end by the clock, and keep what is due', async () => {
    const home = testHome();
    const clock = new FakeClock();
    const first = await hostHere(home, clock);
    await first.call('pause', { scope: 'all', forSeconds: 600 });
    const { job } = await first.call('jobs.add', { text: 'Later.', tier: 'routine' });
    await first.stop();
    const { call, calm } = await hostHere(home, clock);
    expect((await call('status', {})).line).toMatch(/^Paused until/);
    await clock.advance(500_000);
    expect((await call('jobs.show', { id: job })).state).toBe('queued');
    await clock.advance(100_000);
    await calm();
    expect((await call('jobs.show', { id: job })).state).toBe('done');
    expect((await call('status', {})).paused).toEqual({ all: null, heavy: null });
  });
});
