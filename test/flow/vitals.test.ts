import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { DraftDetail, RunRow, StatusView } from '../../main/surfaces/contract.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { hostHere, hostThere, lullHere, testHome } from '../support/host.ts';

const MINUTE = 60_000;

describe('the host’s own health', () => {
  it('S6 a job without progress is shown in the one line, looked into once, and told of in a report', async () => {
    const home = testHome();
    const clock = new FakeClock();
    const { call } = await hostHere(home, clock, { offlineDelayMs: 40 * MINUTE });
    const { job } = await call('jobs.add', { text: 'Think long.', tier: 'routine' });
    await clock.advance(14 * MINUTE);
    expect((await call('status', {})).wedged).toEqual([]);
    await clock.advance(4 * MINUTE);
    const status = await call('status', {});
    expect(status.wedged).toMatchObject([{ job, since: expect.any(Number) }]);
    expect(status.line).toMatch(/^No progress for 1\d min: Think long/);
    const [draft] = await call('drafts.list', {});
    expect(draft).toMatchObject({ kind: 'report', title: `Look into: wedged:${job}` });
    const { text } = (await call('drafts.show', { id: draft?.id ?? 0 })) as DraftDetail;
    expect(text).toContain(`Job ${job} (Think long.) has shown no progress`);
    await clock.advance(10 * MINUTE);
    const jobs = await call('jobs.list', {});
    expect(jobs.filter(({ kind }) => kind === 'watchdog')).toHaveLength(1);
    await clock.advance(30 * MINUTE);
    const after = await call('status', {});
    expect([after.wedged, after.stalled, after.line]).toEqual([[], null, 'Idle']);
    // Approving a report that asks for nothing does nothing, and is not refused.
    expect(await call('drafts.approve', { id: draft?.id ?? 0 })).toMatchObject({
      outcome: 'applied',
    });
    const series = await call('vitals.series', {
      name: 'run_seconds',
      since: clock.now() - 60 * MINUTE,
    });
    expect(series.points.length).toBeGreaterThan(0);
  });

  it('S5 a host that cannot record its end stops all the same, and the next one calls that end unclean', async () => {
    const home = testHome();
    const { stop } = await hostHere(home, new FakeClock());
    const db = new Database(home.database);
    onTestFinished(() => void db.close());
    db.exec(`CREATE TRIGGER full BEFORE UPDATE ON runs
      BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END`);
    await stop();
    const log = readdirSync(home.logs).map((name) => readFileSync(join(home.logs, name), 'utf8'));
    expect(log.join('')).toMatch(
      /"error":"[^"]*disk is full[^"]*","msg":"the end of the run could not be recorded"/,
    );
    expect(existsSync(home.hostFile)).toBe(false);
    db.exec('DROP TRIGGER full');
    const next = await hostThere(home);
    const runs = (await lullHere(home, ['runs', '--json'])).json<RunRow[]>();
    expect(runs.map(({ end }) => end)).toEqual(['runs', 'unclean']);
    expect(await next.stop()).toBe(0);
  });

  it('S5 a host that was killed is shown dead until the next one finds it, which the ledger then says', async () => {
    const home = testHome();
    const status = async () => (await lullHere(home, ['status', '--json'])).json<StatusView>();
    const runs = async () => (await lullHere(home, ['runs', '--json'])).json<RunRow[]>();
    const host = await hostThere(home);
    const pid = host.process.pid ?? 0;
    expect((await status()).run).toMatchObject({ id: 1, end: 'runs' });
    await host.kill();
    expect(existsSync(home.hostFile)).toBe(true);
    expect(await status()).toMatchObject({ host: null, run: { id: 1, end: 'dead' } });
    const said = (await lullHere(home, ['status'])).out;
    expect(said).toMatch(/host +dead: run 1 \(pid \d+, since .*\) ended without a word/);
    expect(said).not.toContain(`host    pid ${pid}`);
    const next = await hostThere(home);
    expect((await runs()).map(({ end }) => end)).toEqual(['runs', 'unclean']);
    expect(await next.stop()).toBe(0);
    expect((await runs()).map(({ end }) => end)).toEqual(['clean', 'unclean']);
    expect((await status()).run).toMatchObject({ id: 2, end: 'clean' });
    expect((await lullHere(home, ['runs'])).out).toMatch(/died/);
  });
});
