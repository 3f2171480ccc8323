import { describe, expect, it } from 'vitest';
import { openStore } from '../../main/base/store/database.ts';
import { intervalsTable } from '../../main/base/store/intervals.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { QUIET_NIGHT } from '../support/fixed-facts.ts';
import { hostHere, hostThere, lull, rowsIn, testHome, until } from '../support/host.ts';

const HERE = { ...QUIET_NIGHT, idleSeconds: 42 };
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** A Wednesday at noon where the test runs. */
const NOON = new Date(2026, 4, 20, 12).getTime();

async function waiting(facts: object = HERE, config: object = {}, offlineDelayMs = 0) {
  const home = testHome(facts, config);
  const clock = new FakeClock(NOON);
  const { call, calm, stop, host } = await hostHere(home, clock, { offlineDelayMs });
  const { job } = await call('jobs.add', { text: 'Sum up the week.' });
  await calm();
  const state = async () => (await call('jobs.show', { id: job })).state;
  const code = async () => (await call('why', { job }))[0]?.code;
  const notices = async () => (await call('panel', {})).notices;
  return { home, clock, host, call, calm, stop, job, state, code, notices };
}

describe('the owner’s own word', () => {
  it('G1 D5 away lets heavy work run while they are seen, until its time is over', async () => {
    const { call, calm, clock, job, state, code } = await waiting();
    expect(await code()).toBe('active');
    expect(await call('presence.override', { say: 'away', forSeconds: 3600 })).toEqual({
      ...{ present: false, until: NOON + HOUR },
    });
    await calm();
    expect(await state()).toBe('done');
    const status = await call('status', {});
    expect(status.word).toEqual({ present: false, until: NOON + HOUR });
    expect(status.gates.find(({ id }) => id === 'presence')?.code).toBe('said-away');
    await clock.advance(HOUR);
    const again = await call('jobs.add', { text: 'Once more.' });
    await calm();
    expect((await call('why', { job: again.job }))[0]?.code).toBe('active');
    expect((await call('status', {})).word).toBeNull();
    expect(again.job).not.toBe(job);
  });

  it('G1 here holds heavy work back on a quiet night, across a restart, until taken back', async () => {
    const { home, call, clock, stop } = await waiting();
    await call('presence.override', { say: 'present' });
    await stop();
    home.setFacts(QUIET_NIGHT);
    const next = await hostHere(home, clock);
    await next.calm();
    expect((await next.call('why', {}))[0]?.code).toBe('said-here');
    expect(await next.call('presence.override', { say: 'clear' })).toBeNull();
    await next.calm();
    expect(await next.call('why', {})).toEqual([]);
  });

  it('G1 a time that has passed is refused, and nothing is stored', async () => {
    const { call } = await waiting();
    await expect(call('presence.override', { say: 'away', until: NOON })).rejects.toThrow(
      'that time has passed',
    );
    await expect(
      call('presence.override', { say: 'away', until: NOON + 1, forSeconds: 1 }),
    ).rejects.toThrow('give a duration or a time, not both');
    expect((await call('status', {})).word).toBeNull();
  });
});

describe('run now', () => {
  it('D5 first says what it would waive, and does it when that is confirmed', async () => {
    const { call, calm, job, state, home } = await waiting();
    const asked = await call('jobs.runNow', { id: job });
    expect(asked).toMatchObject({
      outcome: 'asks',
      waives: [{ gate: 'presence', code: 'active' }],
      waits: [],
    });
    await calm();
    expect(await state()).toBe('queued');
    expect(await call('jobs.runNow', { id: job, confirm: true })).toMatchObject({
      ...{ outcome: 'runs', text: asked.text },
    });
    await calm();
    expect(await state()).toBe('done');
    const [row] = rowsIn<{ waiver: string }>(home, 'SELECT waiver FROM jobs WHERE id = ?', job);
    expect(JSON.parse(row?.waiver ?? '')).toEqual({
      ...{ presence: true, hours: true, heavyPause: true, battery: false, at: NOON },
    });
    const { events } = await call('jobs.show', { id: job });
    expect(events.map(({ kind }) => kind)).toContain('job.waived');
    await expect(call('jobs.runNow', { id: job })).rejects.toMatchObject({ code: 'conflict' });
  });

  it('D5 on battery it waits unless the owner says so; never below the floor', async () => {
    const { call, calm, job, state, home } = await waiting({ ...HERE, onBattery: true });
    expect((await call('jobs.runNow', { id: job, confirm: true })).waits).toMatchObject([
      { code: 'battery', onBattery: true },
    ]);
    await calm();
    expect(await state()).toBe('queued');
    home.setFacts({ ...HERE, onBattery: true, percent: 20 });
    const floor = await call('jobs.runNow', { id: job, confirm: true, onBattery: true });
    expect(floor.waits).toMatchObject([{ code: 'floor', onBattery: false }]);
    await calm();
    expect(await state()).toBe('queued');
    home.setFacts({ ...HERE, onBattery: true });
    await call('jobs.runNow', { id: job, confirm: true, onBattery: true });
    await calm();
    expect(await state()).toBe('done');
  });

  it('D5 passes closed hours and a pause of heavy work, and goes ahead of what waits longer', async () => {
    const hours = { heavy: [{ from: '22:00', to: '07:00' }] };
    const { call, calm, job, state } = await waiting(HERE, { hours });
    const second = (await call('jobs.add', { text: 'The second one.' })).job;
    await call('pause', { scope: 'heavy' });
    const seen = await call('jobs.runNow', { id: second, confirm: true });
    expect(seen.waives.map(({ code }) => code)).toEqual([
      ...['heavy-paused', 'outside-hours', 'active'],
    ]);
    await calm();
    expect((await call('jobs.show', { id: second })).state).toBe('done');
    expect(await state()).toBe('queued');
    expect((await call('jobs.list', { state: 'queued' })).map(({ id }) => id)).toEqual([job]);
  });

  it('D5 D8 by the command line', async () => {
    const home = testHome(HERE, {});
    const host = await hostThere(home);
    await lull(home, ['add', 'Sum', 'up']);
    const dry = await lull(home, ['jobs', 'run', '1', '--dry-run']);
    expect(dry.out).toMatch(/^Job 1 would run by your word\. It runs in spite of/);
    expect(dry.out).toMatch(/waived: You are here: last input 0:42 ago/);
    const run = await lull(home, ['jobs', 'run', '1', '--json']);
    expect(run.json()).toMatchObject({ outcome: 'runs', job: 1 });
    await until(async () => (await lull(home, ['jobs', 'show', '1'])).out.includes('done'));
    const history = await lull(home, ['jobs', 'history', '--json']);
    expect(history.json()).toMatchObject([{ id: 1, state: 'done', yields: [] }]);
    expect((await lull(home, ['tide', '--json'])).json()).toMatchObject({ ran: [{ job: 1 }] });
    await host.stop();
  });
});

describe('hours and programs', () => {
  it('G5 heavy work starts when its hours begin, at that very moment', async () => {
    const hours = { heavy: [{ days: ['wed'], from: '12:30', to: '13:00' }] };
    const { clock, code, state, home } = await waiting(QUIET_NIGHT, { hours });
    expect(await code()).toBe('outside-hours');
    await clock.advance(30 * MINUTE - 1);
    expect(await state()).toBe('queued');
    await clock.advance(1);
    await clock.advance(0);
    const [row] = rowsIn<{ started: number }>(home, 'SELECT started_at AS started FROM jobs');
    expect(row?.started).toBe(NOON + 30 * MINUTE);
  });

  it('G5 a program that has the machine to itself holds heavy work', async () => {
    const { calm, code, state, home, clock } = await waiting({
      ...QUIET_NIGHT,
      exclusiveApp: 'Blender',
    });
    expect(await code()).toBe('exclusive-app');
    home.setFacts(QUIET_NIGHT);
    await clock.advance(30_000);
    await calm();
    expect(await state()).toBe('done');
  });

  it('G5 each of these can be switched off in the settings', async () => {
    const { call, home, clock, calm } = await waiting({ ...QUIET_NIGHT, pressure: 'critical' });
    const closed = async () =>
      (await call('status', {})).gates.flatMap(({ id, open, code }) =>
        open || id === 'model' ? [] : [code],
      );
    expect(await closed()).toEqual(['critical']);
    await call('config.set', { key: 'memory.shedUnderPressure', value: false });
    expect(await closed()).toEqual([]);
    home.setFacts({ ...QUIET_NIGHT, thermal: 'critical', lowPower: true, onBattery: true });
    expect(await closed()).toEqual(['thermal']);
    await call('config.set', { key: 'power.thermalLimit', value: 'off' });
    expect(await closed()).toEqual(['battery']);
    await call('config.set', { key: 'power.shedOnBattery', value: false });
    expect(await closed()).toEqual(['low-power']);
    await call('config.set', { key: 'power.shedInLowPowerMode', value: false });
    expect(await closed()).toEqual([]);
    home.setFacts({ ...QUIET_NIGHT, micInUse: true, displayAssertion: true });
    expect(await closed()).toEqual(['call']);
    await call('config.set', { key: 'presence.calls', value: false });
    expect(await closed()).toEqual(['display-kept-on']);
    await call('config.set', { key: 'presence.displayAssertions', value: false });
    await clock.advance(30_000);
    await calm();
    expect(await closed()).toEqual([]);
  });

  it('G5 hours that make no sense are refused by name, and nothing changes', async () => {
    const { call } = await waiting();
    const set = (heavy: unknown) => call('config.set', { key: 'hours.heavy', value: heavy });
    await expect(set([{ from: '25:00', to: '07:00' }])).rejects.toThrow(
      'hours.heavy.0.from must be a time of day such as 22:00',
    );
    await expect(set([{ from: '07:00', to: '07:00' }])).rejects.toThrow(/from and to are the same/);
    await expect(set([{ from: '22:00', to: '07:00', zone: 'berlin' }])).rejects.toThrow(
      'hours.heavy.0.zone must be a time zone; did you mean Europe/Berlin?',
    );
    await expect(set([{ days: ['friday'], from: '22:00', to: '07:00' }])).rejects.toThrow(/days/);
    await expect(set([])).rejects.toThrow(/hours\.heavy must be 1 entry or more/);
    expect(await call('config.get', { key: 'hours.heavy' })).toBeNull();
  });
});

describe('a night', () => {
  it('D3 D5 D6 D13 is recorded, drawn, and told of in the morning', async () => {
    const { home, clock, call, job, notices } = await waiting(HERE, {}, 20_000);
    await clock.advance(2 * HOUR);
    home.setFacts({ ...QUIET_NIGHT, idleSeconds: 900 });
    await clock.advance(3 * HOUR);
    const before = await call('panel', {});
    expect(before.notices).toEqual([]);
    expect(before.tide.ran).toMatchObject([{ job, heavy: true }]);
    const drawnTo = before.tide.lulls.at(-1)?.to ?? 0;
    expect(NOON + 5 * HOUR - drawnTo).toBeLessThanOrEqual(30_000); // the last look
    home.setFacts(HERE);
    await clock.advance(90_000);

    const [digest, ...more] = await notices();
    expect(more).toEqual([]);
    expect(digest?.kind).toBe('digest');
    expect(digest?.text).toMatch(
      /^While you were away \(14:00 to 17:00\): 1 job ran for \d+ (s|min)[^;]*; 1 draft is ready\.$/,
    );

    const { tide } = await call('panel', {});
    expect(tide.present).toHaveLength(2);
    expect(tide.present[0]).toMatchObject({ from: NOON });
    expect(tide.lulls).toHaveLength(1);
    const inMinutes = (at: number) => Math.round((at - NOON) / MINUTE);
    expect(tide.lulls.map(({ from, to }) => [inMinutes(from), inMinutes(to)])).toEqual([
      [120, 300],
    ]);
    expect(tide.text).toMatch(/^Today: you were here 2 h[^;]*; lulls 3 h/);
    expect(await call('tide.day', {})).toEqual(tide);
    await expect(call('tide.day', { day: '2026-02-30' })).rejects.toThrow(/day must be a date/);
    expect((await call('tide.day', { day: '2026-05-19' })).text).toMatch(/nothing is recorded/);

    const [row] = await call('jobs.history', {});
    expect(row).toMatchObject({ id: job, state: 'done', yields: [], loads: 0 });
    expect(row?.waitedBecause).toBe('you were here (2 h)');
  });

  it('D3 no digest where the settings want none, and a later one takes its place', async () => {
    const { home, clock, call, calm, notices } = await waiting();
    const night = async () => {
      home.setFacts(QUIET_NIGHT);
      await clock.advance(HOUR);
      home.setFacts(HERE);
      await clock.advance(30_000);
    };
    await night();
    const [first] = await notices();
    await call('jobs.add', { text: 'Another.' });
    await night();
    const [second, ...more] = await notices();
    expect(more).toEqual([]);
    expect(second?.id).toBeGreaterThan(first?.id ?? 0);
    await call('config.set', { key: 'notices.digest', value: false });
    await call('jobs.add', { text: 'A third.' });
    await night();
    await calm();
    expect((await notices())[0]?.id).toBe(second?.id);
    expect((await call('panel', {})).telling.digest).toBe(false);
  });

  it('G6 after a week of record the next lull is said by what is usual', async () => {
    const home = testHome(HERE, {});
    const clock = new FakeClock(NOON);
    await (await hostHere(home, clock)).stop();
    const store = await openStore(home.database, { backups: home.backups, now: NOON });
    const intervals = intervalsTable(store.db);
    for (let day = 14; day >= 1; day--) {
      const noon = NOON - day * DAY;
      for (const [state, from, to] of [
        ['here', noon, noon + 10.5 * HOUR],
        ['away', noon + 10.5 * HOUR, noon + DAY],
      ] as const) {
        intervals.begin({ track: 'presence', state, from, percentFrom: null });
        intervals.end('presence', to, null, 'change');
      }
      intervals.begin({ track: 'power', state: 'mains', from: noon, percentFrom: null });
      intervals.end('power', noon + DAY, null, 'change');
    }
    store.close();
    const { call, calm } = await hostHere(home, clock);
    const { job } = await call('jobs.add', { text: 'Dream.' });
    await calm();
    const { nextLull, tide, waiting } = await call('panel', {});
    expect(nextLull).toMatch(/^Next lull: usually from 22:30, ± 5 min; earliest in 4 min/);
    expect(tide.next).toEqual({ from: NOON + 10.5 * HOUR, spreadMs: 5 * MINUTE });
    expect(waiting[0]?.forecast).toMatch(/^usually from 22:30, ± 5 min;/);
    expect((await call('why', { job }))[0]?.forecast).toBe(waiting[0]?.forecast);
  });

  it('D5 S5 a host that was killed leaves what its job did up to when it was last seen', async () => {
    const home = testHome(QUIET_NIGHT, {});
    const env = { LULL_OFFLINE_DELAY_MS: '60000' };
    const first = await hostThere(home, {
      args: ['--facts', home.factsFile, '--model', 'offline'],
      env,
    });
    await lull(home, ['add', 'Sum up']);
    await until(() => rowsIn(home, `SELECT 1 FROM jobs WHERE state = 'running'`).length === 1);
    const [before] = rowsIn<{ at: number }>(home, 'SELECT started_at AS at FROM jobs');
    await first.kill();
    const second = await hostThere(home);
    const [stint] = rowsIn<{ outcome: string; from: number }>(
      home,
      'SELECT outcome, from_at AS "from" FROM stints ORDER BY claim_no',
    );
    expect(stint).toEqual({ outcome: 'crash', from: before?.at });
    expect(
      rowsIn<{ ended: string }>(home, `SELECT ended FROM intervals WHERE ended = 'crash'`),
    ).toHaveLength(3);
    await second.stop();
    expect(rowsIn(home, 'SELECT 1 FROM intervals WHERE ended IS NULL')).toEqual([]);
  });
});
