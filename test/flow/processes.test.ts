import { describe, expect, it } from 'vitest';
import type { DraftDetail, DraftRow, JobDetail, JobRow } from '../../main/surfaces/contract.ts';
import { AWAY, hostThere, lullHere, rowsIn, testHome, until } from '../support/host.ts';

const STOCK = `sku,name,on hand,reorder point,unit cost
JAR-S,Small jar,20,10,0.80
JAR-L,Large jar,9,6,1.20
`;

const jobs = async (home: { dir: string }) =>
  (await lullHere(home, ['jobs', 'list', '--json'])).json<JobRow[]>();

describe('across processes', () => {
  it('S5 Q6 killed inside a model call; meanwhile a sale and an evening job; the next start does it all', async () => {
    const home = testHome();
    const slow = await hostThere(home, {
      args: ['--facts', home.factsFile, '--model', 'offline'],
      env: { LULL_OFFLINE_DELAY_MS: '6000' },
    });
    await lullHere(home, ['stock', 'import', home.file('stock.csv', STOCK)]);
    await lullHere(home, ['watch', 'add', 'jars', '--sku', 'JAR-L']);
    const added = await lullHere(home, ['add', 'Sum up the year.', '--json']);
    const { job } = added.json<{ job: number }>();
    const before = await until(async () => {
      const found = (await jobs(home)).find((one) => one.id === job);
      return found?.state === 'running' && found;
    });
    expect(before).toMatchObject({ attempts: 1, finishedAt: null });
    await slow.kill();

    // No host: reading says what is there, a sale is recorded, and an evening job falls due.
    const status = await lullHere(home, ['status', '--json']);
    expect(status.json()).toMatchObject({ host: null, queue: { running: 1 } });
    const sale = ['stock', 'adjust', 'JAR-L', '-5', '--reason', 'market', '--event', 'sale-1'];
    expect(await lullHere(home, sale)).toMatchObject({ code: 0, err: '' });
    const evening = ['schedule', 'add', 'evening', '--prompt', 'What is short?', '--every', '1d'];
    const first = new Date(Date.now() + 500).toISOString();
    expect(await lullHere(home, [...evening, '--first', first])).toMatchObject({ code: 0 });
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(await jobs(home)).toHaveLength(1);

    const next = await hostThere(home);
    const all = await until(async () => {
      const found = await jobs(home);
      return found.length === 3 && found.every((one) => one.finishedAt !== null) && found;
    });
    expect(all.map(({ source, state }) => [source, state]).sort()).toEqual([
      [expect.stringMatching(/^job:evening@1:/), 'done'],
      [expect.stringMatching(/^manual:/), 'failed'],
      ['stock-condition:jars:1', 'done'],
    ]);
    const broken = (
      await lullHere(home, ['jobs', 'show', String(job), '--json'])
    ).json<JobDetail>();
    expect(broken).toMatchObject({
      ...{
        state: 'failed',
        error: 'orphaned by unclean exit of run #1',
        draft: expect.any(Number),
      },
    });
    const report = await lullHere(home, ['drafts', 'show', String(broken.draft), '--json']);
    expect(report.json<DraftDetail>()).toMatchObject({
      ...{ kind: 'report', job, text: expect.stringContaining('ended uncleanly') },
      effects: [`+ a new job with the work of job ${job}`],
    });
    const drafts = (await lullHere(home, ['drafts', 'list', '--json'])).json<DraftRow[]>();
    const orders = drafts.filter((one) => one.kind === 'order');
    expect(orders.map((one) => one.totalCents)).toEqual([240, 240]);
    expect(rowsIn(home, 'SELECT id, clean FROM runs WHERE stopped_at IS NOT NULL')).toEqual([
      { id: 1, clean: 0 },
    ]);
    expect(rowsIn(home, 'SELECT text FROM notices WHERE acknowledged_at IS NULL')).toHaveLength(1);

    // Run again, from the report: the same work as a new job.
    await lullHere(home, ['drafts', 'approve', String(broken.draft)]);
    const again = await until(async () =>
      (await jobs(home)).find((one) => one.id > 3 && one.finishedAt !== null),
    );
    expect(again).toMatchObject({ kind: 'task', state: 'done', title: 'Sum up the year.' });

    expect(await next.stop()).toBe(0);
    expect(next.out()).toContain('Lull has stopped');
    expect(rowsIn(home, 'SELECT id, clean FROM runs ORDER BY id')).toEqual([
      { id: 1, clean: 0 },
      { id: 2, clean: 1 },
    ]);
  });

  it('G7 S5 SIGTERM inside a model call: asked, cut after the grace, back in the queue, exit 0', async () => {
    const home = testHome(AWAY, { yield: { graceSeconds: 1 } });
    const host = await hostThere(home, { env: { LULL_OFFLINE_DELAY_MS: '20000' } });
    const added = await lullHere(home, ['add', 'Sum up the year.', '--json']);
    const { job } = added.json<{ job: number }>();
    await until(async () => (await jobs(home))[0]?.state === 'running');
    const began = performance.now();
    expect(await host.stop()).toBe(0);
    expect(performance.now() - began).toBeLessThan(5_000);
    expect(rowsIn(home, 'SELECT state, attempts, claimed_by_run FROM jobs')).toEqual([
      { state: 'queued', attempts: 0, claimed_by_run: null },
    ]);
    expect(rowsIn(home, "SELECT payload FROM events WHERE kind = 'job.yielded'")).toEqual([
      { payload: '{"cause":"quitting"}' },
    ]);
    const next = await hostThere(home);
    await until(async () => (await jobs(home)).find((one) => one.id === job)?.state === 'done');
    expect(rowsIn(home, 'SELECT text FROM notices')).toEqual([]);
    expect(await next.stop()).toBe(0);
  });

  it('G7 Q1 a running job is cancelled by the command line, within the grace', async () => {
    const home = testHome(AWAY, { yield: { graceSeconds: 1 } });
    await hostThere(home, { env: { LULL_OFFLINE_DELAY_MS: '20000' } });
    await lullHere(home, ['add', 'Sum up the year.']);
    await until(async () => (await jobs(home))[0]?.state === 'running');
    expect((await lullHere(home, ['jobs', 'cancel', '1'])).out).toMatch(/asked to stop/);
    await until(async () => (await jobs(home))[0]?.state === 'cancelled', 5_000);
  });

  it('G7 the owner who comes back stops a heavy job, which goes on when they leave again', async () => {
    const home = testHome(AWAY, { yield: { graceSeconds: 1 } });
    await hostThere(home, { env: { LULL_OFFLINE_DELAY_MS: '1500' } });
    const file = home.file('notes.txt', 'Beta comes by train.');
    await lullHere(home, ['add', 'What do the notes say?', '--files', file]);
    await until(async () => (await jobs(home))[0]?.state === 'running');
    home.setFacts({ idleSeconds: 1, powerSource: 'mains' });
    await until(async () => (await jobs(home))[0]?.state === 'queued', 8_000);
    expect((await jobs(home))[0]).toMatchObject({
      attempts: 0,
      reason: expect.stringMatching(/^You are here/),
    });
    home.setFacts(AWAY);
    await until(async () => (await jobs(home))[0]?.state === 'done', 15_000);
    expect(rowsIn(home, "SELECT payload FROM events WHERE kind = 'job.yielded'")).toEqual([
      { payload: '{"cause":"returned"}' },
    ]);
    const drafts = (await lullHere(home, ['drafts', 'list', '--json'])).json<DraftRow[]>();
    expect(drafts).toMatchObject([{ kind: 'text' }]);
  });
});
