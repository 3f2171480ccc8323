import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Landing, Outcome } from '../../../../main/engine/supervisor/handler.ts';
import type { CycleBody } from '../../../../main/work/roster/draft-body.ts';
import { cycleBody } from '../../../../main/work/roster/draft-body.ts';
import { git, stateOf } from '../../../support/git-repository.ts';
import { commitAll, committedSample, denFor, rosterOf } from '../../../support/roster-den.ts';

function landed(outcome: Outcome): Landing {
  const landing = outcome.kind === 'done' || outcome.kind === 'failed' ? outcome.landing : null;
  if (!landing) throw new Error(JSON.stringify(outcome));
  return landing;
}

function bodyOf(outcome: Outcome): CycleBody {
  return cycleBody.parse(landed(outcome).draft?.body);
}

const paths = (body: CycleBody) => body.changes.files.map((file) => file.path);

describe('the kind cycle', () => {
  it('T6 runs in a working tree of its own, and leaves a draft with log, learnings and changes', async () => {
    const sample = committedSample();
    sample.write('work.txt', 'being written by the owner\n');
    const before = stateOf(sample.root);
    const den = await denFor(sample);
    const outcome = await den.run();
    expect(outcome).toMatchObject({
      kind: 'done',
      landing: { result: expect.stringMatching(/^audit-agent: 7 files changed, \+\d+ −0$/) },
    });
    const body = bodyOf(outcome);
    expect(body).toMatchObject({
      ...{ repository: sample.root, cadence: 'daily', agent: 'audit-agent', status: 'completed' },
      ...{ target: 'main', learnings: 'Learned to be brief.\n' },
      log: expect.stringContaining('# Scheduler completed'),
    });
    expect(paths(body)).toContain('work.txt');
    expect(paths(body).filter((path) => path.startsWith('task-logs/'))).toHaveLength(1);
    expect(body.changes.patch).toContain('+by audit-agent');
    expect(git(sample.root, 'rev-parse', body.branch)).toBe(body.head);
    expect(git(sample.root, 'log', '-1', '--format=%s', body.branch)).toBe(
      'Daily cycle of audit-agent',
    );
    git(sample.root, 'branch', '-D', body.branch);
    expect(stateOf(sample.root)).toEqual(before);
    expect(readdirSync(join(den.home.cycles, 'work'))).toEqual([]);
    expect(den.runs.latest(9)).toMatchObject([
      { status: 'completed', agent: 'audit-agent', head: body.head, cleanedAt: null },
    ]);
  });

  it('T6 goes round the roster though no draft was approved, and lends logs without showing them', async () => {
    const sample = committedSample();
    const den = await denFor(sample);
    const agents: string[] = [];
    for (let run = 0; run < 3; run++) {
      const body = bodyOf(await den.run());
      agents.push(body.agent);
      const logs = paths(body).filter((path) => path.startsWith('task-logs/'));
      expect(logs).toEqual([expect.stringContaining(`__${body.agent}__completed.md`)]);
    }
    expect(agents).toEqual(['audit-agent', 'ci-agent', 'docs-agent']);
    expect(await den.run()).toEqual({
      kind: 'done',
      landing: {
        result: "Nobody's turn. Cycle complete: all 3 agents ran within the 24-hour window",
      },
    });
    expect(git(sample.root, 'branch', '--list', 'lull/*').split('\n')).toHaveLength(3);
  });

  it('T6 heeds logs that lie in the owner’s folder, uncommitted', async () => {
    const sample = committedSample();
    const stamp = new Date(Date.now() - 3_600_000).toISOString().slice(0, 19).replaceAll(':', '-');
    sample.write(`task-logs/daily/${stamp}Z__audit-agent__completed.md`, '---\n---\n');
    const den = await denFor(sample);
    expect(bodyOf(await den.run()).agent).toBe('ci-agent');
  });

  it('T6 a run that fails after changing something leaves a draft that says so', async () => {
    const sample = committedSample({ validationCommandsByCadence: { daily: ['false'] } });
    const outcome = await (await denFor(sample)).run();
    expect(outcome).toMatchObject({
      kind: 'failed',
      error: expect.stringMatching(/^Validation failed/),
    });
    expect(bodyOf(outcome)).toMatchObject({ status: 'failed', agent: 'audit-agent' });
    expect(landed(outcome).draft?.title).toMatch(/^audit-agent in .* failed: Validation failed/);
  });

  it('T6 a run that fails without changing anything leaves its reason and its log alone', async () => {
    const sample = committedSample({ handoffCommandByCadence: { daily: 'exit 7' } });
    const den = await denFor(sample);
    const outcome = await den.run();
    expect(outcome).toMatchObject({
      kind: 'failed',
      error: expect.stringContaining('exit code 7'),
    });
    expect(landed(outcome).draft).toBeUndefined();
    expect(git(sample.root, 'branch', '--list', 'lull/*')).toBe('');
    const book = join(den.home.cycles, 'logs');
    const [key = ''] = readdirSync(book);
    expect(readdirSync(join(book, key, 'daily')).filter((name) => name.endsWith('.md'))).toEqual([
      expect.stringContaining('__audit-agent__failed.md'),
    ]);
  });

  it('T6 asked to stop, its programs are ended whole, nothing is kept, and the agent has its turn again', async () => {
    const sample = committedSample({
      handoffCommandByCadence: { daily: 'echo half > work.txt; (sleep 600 & sleep 600)' },
    });
    const den = await denFor(sample);
    const stop = new AbortController();
    const running = den.run({
      signal: stop.signal,
      shouldYield: () => (stop.signal.aborted ? 'returned' : null),
    });
    await until(() =>
      den.runs.latest(1).some(({ worktree }) => readIf(join(worktree, 'work.txt')) === 'half\n'),
    );
    stop.abort();
    expect(await running).toEqual({ kind: 'yielded', cause: 'returned' });
    expect(den.runs.latest(1)).toMatchObject([
      { status: 'interrupted', agent: 'audit-agent', head: null, cleanedAt: expect.any(Number) },
    ]);
    expect(git(sample.root, 'branch', '--list', 'lull/*')).toBe('');
    expect(git(sample.root, 'worktree', 'list').split('\n')).toHaveLength(1);

    sample.configure({
      handoffCommandByCadence: { daily: 'bash agent.sh' },
      validationCommandsByCadence: { daily: [] },
    });
    commitAll(sample.root, 'An agent that ends');
    expect(bodyOf(await den.run()).agent).toBe('audit-agent');
  });

  it('T6 asked before it begins, it does not begin', async () => {
    const den = await denFor(committedSample());
    expect(await den.run({ shouldYield: () => 'light-waiting' })).toEqual({
      kind: 'yielded',
      cause: 'light-waiting',
    });
    expect(den.runs.latest(1)).toEqual([]);
  });

  it('T6 runs nothing without consent, or off the list', async () => {
    const sample = committedSample();
    const den = await denFor(sample, rosterOf(sample.root, { consent: null }));
    expect(await den.run()).toMatchObject({
      kind: 'failed',
      error: expect.stringMatching(/^your consent/),
    });
    den.settings.now = rosterOf('/elsewhere');
    expect(await den.run()).toMatchObject({
      kind: 'failed',
      error: expect.stringMatching(/not in Lull's list/),
    });
    expect(existsSync(den.home.cycles)).toBe(false);
  });

  it('T6 prepares the working tree in the owner’s words, and says when that fails', async () => {
    const sample = committedSample({ validationCommandsByCadence: { daily: ['test -f ready'] } });
    const prepare = 'test -f "$LULL_REPOSITORY/work.txt" && touch ready';
    const den = await denFor(sample, rosterOf(sample.root, { prepare }));
    expect(bodyOf(await den.run()).status).toBe('completed');
    den.settings.now = rosterOf(sample.root, { prepare: 'exit 3' });
    expect(await den.run()).toMatchObject({
      kind: 'failed',
      error: 'the working tree could not be prepared: It ended with exit code 3.; look at: exit 3',
    });
    expect(den.runs.latest(1)).toMatchObject([{ status: 'failed', head: null }]);
  });

  it('T6 a folder inside a repository has its own roster and configuration', async () => {
    const outer = committedSample();
    mkdirSync(join(outer.root, 'torch'));
    for (const name of ['src', 'agent.sh']) {
      git(outer.root, 'mv', name, `torch/${name}`);
    }
    commitAll(outer.root, 'Into a folder');
    const inner = join(outer.root, 'torch');
    const den = await denFor(outer, rosterOf(inner));
    const body = bodyOf(await den.run({ repository: inner }));
    expect(body).toMatchObject({ repository: inner, root: outer.root, status: 'completed' });
    expect(paths(body)).toContain('torch/work.txt');
  });

  it('T6 says so where the repository is gone', async () => {
    const sample = committedSample();
    const den = await denFor(sample, rosterOf('/nowhere'));
    expect(await den.run({ repository: '/nowhere' })).toEqual({
      kind: 'failed',
      error: 'there is no such folder: /nowhere',
    });
  });
});

function readIf(path: string): string | null {
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}
