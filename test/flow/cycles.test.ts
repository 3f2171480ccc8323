import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type {
  CyclePlan,
  CyclesView,
  DraftDetail,
  DraftRow,
  JobDetail,
  LockHealth,
} from '../../main/surfaces/contract.ts';
import { git } from '../support/git-repository.ts';
import { AWAY, hostThere, lullHere, type TestHome, testHome, until } from '../support/host.ts';
import { existingTool } from '../support/relay/existing-tool.ts';
import { relays } from '../support/relay/fleet.ts';
import { commitAll, committedSample } from '../support/roster-den.ts';
import { processesIn } from '../work/roster/cycle/sample-repository.ts';

const ENDLESS = { handoffCommandByCadence: { daily: 'touch begun; sleep 600 & sleep 600' } };
/** A run starts a dozen programs, on a machine that may do other things as well. */
const SLOW_MS = 60_000;
const HERE = { ...AWAY, idleSeconds: 5 };

/** A host that may begin one cycle at once; gives its job once the agent is at work. */
async function atWork(home: TestHome, path: string): Promise<number> {
  const add = ['cycles', 'add', path, '--consent'];
  expect(await lullHere(home, add)).toMatchObject({ code: 0 });
  const asked = await lullHere(home, ['cycles', 'run', path, 'daily', '--json']);
  const { job } = asked.json<{ job: number }>();
  await until(() => begun(home), SLOW_MS);
  return job;
}

/** Whether an agent has begun in a working tree. */
async function begun(home: TestHome): Promise<boolean> {
  const work = join(home.cycles, 'work');
  if (!existsSync(work)) return false;
  return readdirSync(work, { recursive: true }).some((name) => String(name).endsWith('begun'));
}

const show = async (home: TestHome, job: number) =>
  (await lullHere(home, ['jobs', 'show', String(job), '--json'])).json<JobDetail>();
const runs = async (home: TestHome) =>
  (await lullHere(home, ['cycles', 'list', '--json'])).json<CyclesView>().runs;

describe('cycles of a living host', { timeout: 240_000 }, () => {
  it('T6 Q6 killed while an agent is at work: it is ended, its tree removed, and the job reported', async () => {
    const sample = committedSample(ENDLESS);
    const home = testHome();
    const args = ['--facts', home.factsFile, '--model', 'offline'];
    const first = await hostThere(home, { args });
    const job = await atWork(home, sample.root);
    await first.kill();
    expect(processesIn(home.cycles)).not.toEqual([]);

    await hostThere(home, { args });
    const ended = await until(async () => {
      const found = await show(home, job);
      return found.state === 'failed' && found;
    }, SLOW_MS);
    expect(ended.error).toBe('orphaned by unclean exit of run #1');
    const drafts = await lullHere(home, ['drafts', 'list', '--json']);
    const [report] = drafts.json<DraftRow[]>();
    const shown = await lullHere(home, ['drafts', 'show', String(report?.id), '--json']);
    expect(shown.json<DraftDetail>()).toMatchObject({ kind: 'report', job });
    await until(
      () => processesIn(home.cycles).length === 0,
      SLOW_MS,
      () => processesIn(home.cycles).join('; '),
    );
    await until(() => readdirSync(join(home.cycles, 'work')).length === 0, SLOW_MS);
    await until(() => git(sample.root, 'branch', '--list', 'lull/*') === '', SLOW_MS);
    expect(git(sample.root, 'worktree', 'list').split('\n')).toHaveLength(1);
    expect(await runs(home)).toMatchObject([{ job, status: 'broken', draft: null }]);
  });

  it('T6 G7 the owner returns: the agent is ended after the grace, and has its turn in the next lull', async () => {
    const sample = committedSample(ENDLESS);
    const home = testHome(AWAY, { yield: { graceSeconds: 1 } });
    await hostThere(home, { args: ['--facts', home.factsFile, '--model', 'offline'] });
    const job = await atWork(home, sample.root);
    home.setFacts(HERE);
    const back = await until(async () => {
      const found = await show(home, job);
      return found.state === 'queued' && found;
    }, SLOW_MS);
    expect(back.attempts).toBe(0);
    expect(await runs(home)).toMatchObject([{ status: 'interrupted', agent: 'audit-agent' }]);
    expect(processesIn(home.cycles)).toEqual([]);
    expect(git(sample.root, 'branch', '--list', 'lull/*')).toBe('');

    sample.configure({
      handoffCommandByCadence: { daily: 'bash agent.sh' },
      validationCommandsByCadence: { daily: [] },
    });
    commitAll(sample.root, 'An agent that ends');
    home.setFacts(AWAY);
    const done = await until(async () => {
      const found = await show(home, job);
      return found.state === 'done' && found;
    }, SLOW_MS);
    expect(done).toMatchObject({ attempts: 1, draft: expect.any(Number) });
    expect((await runs(home))[0]).toMatchObject({ status: 'completed', agent: 'audit-agent' });
  });

  it('T6 a repository taken off the list: its waiting cycles are cancelled, and the reason stands there', async () => {
    const [kept, gone] = [committedSample(ENDLESS), committedSample(ENDLESS)];
    const home = testHome(HERE);
    await hostThere(home, { args: ['--facts', home.factsFile, '--model', 'offline'] });
    const waiting: number[] = [];
    for (const { root } of [kept, gone]) {
      await lullHere(home, ['cycles', 'add', root, '--consent']);
      const asked = await lullHere(home, ['cycles', 'run', root, 'daily', '--json']);
      waiting.push(asked.json<{ job: number }>().job);
    }
    const [stays = 0, goes = 0] = waiting;
    expect(await lullHere(home, ['cycles', 'remove', gone.root])).toMatchObject({ code: 0 });
    expect(await show(home, goes)).toMatchObject({
      state: 'cancelled',
      reason: `this repository is not in Lull's list: ${gone.root}`,
    });
    expect((await show(home, stays)).state).toBe('queued');
  });

  it('T6 a repository taken off the list while its agent is at work: the agent is ended, nothing is kept', async () => {
    const sample = committedSample(ENDLESS);
    const home = testHome(AWAY, { yield: { graceSeconds: 1 } });
    await hostThere(home, { args: ['--facts', home.factsFile, '--model', 'offline'] });
    const job = await atWork(home, sample.root);
    expect(await lullHere(home, ['cycles', 'remove', sample.root])).toMatchObject({ code: 0 });
    await until(async () => (await show(home, job)).state === 'cancelled', SLOW_MS);
    expect(processesIn(home.cycles)).toEqual([]);
    expect(git(sample.root, 'branch', '--list', 'lull/*')).toBe('');
  });

  it('T6 over relays: each says how it is, and who is locked by another machine has no turn', async () => {
    const [relay] = await relays(1);
    const sample = committedSample();
    const urls = [relay?.url ?? '', 'ws://127.0.0.1:1'];
    const home = testHome(HERE, { roster: { lock: 'relays', relays: urls } });
    await hostThere(home, { args: ['--facts', home.factsFile, '--model', 'offline'] });
    await lullHere(home, ['cycles', 'add', sample.root, '--consent']);
    expect(await existingTool(urls[0] ?? '', 'torch').acquire('audit-agent')).toBe('ok');

    const health = await lullHere(home, ['cycles', 'health', sample.root, '--json']);
    expect(health.json<LockHealth>()).toEqual({
      ...{ kind: 'relays', ok: true, said: null },
      relays: [
        { relay: urls[0], ok: true, ms: expect.any(Number), error: null },
        { relay: urls[1], ok: false, ms: null, error: expect.stringMatching(/^no connection/) },
      ],
    });
    const plan = await lullHere(home, ['cycles', 'plan', sample.root, 'daily', '--json']);
    expect(plan.json<CyclePlan>()).toEqual({
      agents: [
        { agent: 'audit-agent', turn: null, out: 'locked', lockedUntil: expect.any(Number) },
        { agent: 'ci-agent', turn: 1, out: null, lockedUntil: null },
        { agent: 'docs-agent', turn: 2, out: null, lockedUntil: null },
      ],
      lockFault: null,
    });
  });

  it('T6 a cadence falls due by itself, and its schedule cannot be changed behind the settings', async () => {
    const sample = committedSample();
    const home = testHome();
    await hostThere(home, { args: ['--facts', home.factsFile, '--model', 'offline'] });
    const add = ['cycles', 'add', sample.root, '--daily', '1d', '--consent'];
    expect(await lullHere(home, add)).toMatchObject({ code: 0 });
    const [draft] = await until(async () => {
      const found = (await lullHere(home, ['drafts', 'list', '--json'])).json<DraftRow[]>();
      return found.length > 0 && found;
    }, SLOW_MS);
    expect(draft).toMatchObject({ kind: 'cycle', subject: sample.root });
    const list = (await lullHere(home, ['cycles', 'list', '--json'])).json<CyclesView>();
    const schedule = list.repositories[0]?.cadences.daily.schedule;
    expect(schedule).toMatchObject({ ruleText: 'every 24 h', enabled: true });
    const off = await lullHere(home, ['schedule', 'disable', schedule?.id ?? '']);
    expect(off).toMatchObject({ code: 3, err: expect.stringContaining('belongs to a roster') });
    expect(await lullHere(home, ['drafts', 'approve', String(draft?.id)])).toMatchObject({
      code: 0,
    });
    expect(git(sample.root, 'show', 'main:work.txt')).toContain('by audit-agent');
    expect(await lullHere(home, ['cycles', 'remove', sample.root])).toMatchObject({ code: 0 });
    const after = (await lullHere(home, ['schedule', 'list', '--json'])).json<
      { enabled: boolean }[]
    >();
    expect(after).toMatchObject([{ enabled: false }]);
  });
});
