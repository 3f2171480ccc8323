import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { localLock } from '../../../../main/work/roster/lock/local-lock.ts';
import { FakeClock } from '../../../support/fake-clock.ts';
import { claim, pairs } from '../../../support/relay/asking.ts';
import { type Machine, machine, put } from '../../../support/relay/fleet.ts';

const NOON = Date.parse('2026-02-20T12:00:00Z');
const HOUR = 3_600_000;

function office(clock = new FakeClock(NOON)) {
  const { options } = machine([], {}, { clock });
  const process = () => localLock(options);
  return { clock, options, process, lock: process() };
}

describe('the lock of one machine', () => {
  it('T2 keeps processes apart, answers as the lock over relays does, and forgets nothing done', async () => {
    const { lock, process, options, clock } = office();
    put(options.root, 'src/prompts/daily/docs-agent.md', '# Docs\n');
    const got = await lock.acquire(claim());
    expect(got).toMatchObject({ code: 0, stderr: '' });
    expect(pairs(got)).toMatchObject({
      LOCK_STATUS: 'ok',
      LOCK_EVENT_ID: 'local-1',
      LOCK_DATE: '2026-02-20',
      LOCK_EXPIRES_ISO: '2026-02-20T14:00:00.000Z',
      LOCK_PROMPT_HASH: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(pairs(await process().acquire(claim()))).toEqual({
      LOCK_STATUS: 'denied',
      LOCK_REASON: 'already_locked',
      LOCK_EXISTING_EVENT: 'local-1',
    });
    expect(JSON.parse((await process().check('daily')).stdout)).toMatchObject({
      locked: ['docs-agent'],
      available: ['audit-agent', 'ci-health-agent'],
      locks: [{ agent: 'docs-agent', createdAt: '2026-02-20T12:00:00.000Z', platform: 'claude' }],
    });
    expect((await process().complete(claim())).code).toBe(0);
    expect((await process().complete(claim())).code).toBe(0);
    expect(pairs(await process().acquire(claim())).LOCK_REASON).toBe('already_completed');
    expect((await process().acquire(claim('audit-agent'))).code).toBe(0);
    clock.jump(12 * HOUR);
    expect((await process().acquire(claim())).code).toBe(0); // another day
  });

  it('T2 refuses an agent that is not in the roster, and a completion of nothing', async () => {
    const { lock } = office();
    expect(await lock.acquire(claim('nobody'))).toMatchObject({
      code: 1,
      stdout: '',
      stderr:
        '"nobody" is not in the daily roster - it lists: audit-agent, ci-health-agent, docs-agent\n',
    });
    expect(await lock.complete(claim())).toMatchObject({ code: 1, stdout: '' });
  });

  it('T2 a weekly agent runs once in its ISO week', async () => {
    const { lock, clock } = office();
    expect((await lock.acquire(claim('docs-agent', 'weekly'))).code).toBe(0);
    expect((await lock.complete(claim('docs-agent', 'weekly'))).code).toBe(0);
    clock.jump(2 * 24 * HOUR); // Sunday
    expect(pairs(await lock.acquire(claim('docs-agent', 'weekly'))).LOCK_REASON).toBe(
      'already_completed',
    );
    clock.jump(24 * HOUR); // Monday
    expect((await lock.acquire(claim('docs-agent', 'weekly'))).code).toBe(0);
  });

  it('T2 a run past midnight and past its time completes, unless another has taken over', async () => {
    const { lock, process, clock } = office();
    clock.jump(11.5 * HOUR);
    expect((await lock.acquire(claim())).code).toBe(0);
    clock.jump(3 * HOUR);
    expect(pairs(await process().complete(claim()))).toMatchObject({ LOCK_DATE: '2026-02-20' });

    const slow = office();
    expect((await slow.lock.acquire(claim())).code).toBe(0);
    slow.clock.jump(3 * HOUR);
    const next = slow.process();
    expect((await next.acquire(claim())).code).toBe(0);
    expect(await slow.lock.complete(claim())).toMatchObject({ code: 3 });
    expect((await next.complete(claim())).code).toBe(0);
  });

  it('T2 is kept by renewal, till another process has it', async () => {
    const { lock, process, clock } = office();
    await lock.acquire(claim());
    const said: string[] = [];
    const kept = lock.keep(claim(), (line) => said.push(line));
    for (let hours = 0; hours < 5; hours++) await clock.advance(HOUR);
    expect(pairs(await process().acquire(claim())).LOCK_REASON).toBe('already_locked');
    // the machine sleeps past its time, and another process is first at the lock
    clock.suspend(3 * HOUR);
    expect((await process().acquire(claim())).code).toBe(0);
    await clock.advance(HOUR);
    expect(kept.lost.aborted).toBe(true);
    expect(kept.lost.reason).toBe('another process has docs-agent');
    await kept.stop();
    expect(said).toEqual([]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('T2 a claim is given back by the process that made it, and by no other', async () => {
    const { lock, process } = office();
    await lock.acquire(claim());
    await process().release(claim());
    expect(pairs(await process().acquire(claim())).LOCK_REASON).toBe('already_locked');
    await lock.release(claim());
    expect((await process().acquire(claim())).code).toBe(0);
  });

  it('T2 what is done is not given back', async () => {
    const { lock, process } = office();
    await lock.acquire(claim());
    await lock.complete(claim());
    await lock.release(claim());
    expect(pairs(await process().acquire(claim())).LOCK_REASON).toBe('already_completed');
  });

  it('T2 of five processes that ask at once one gets the agent', async () => {
    const { options } = machine([]);
    const ask = join(import.meta.dirname, 'local-asker.ts');
    const askers = Array.from({ length: 5 }, () =>
      spawn(process.execPath, [ask, options.root, options.home.dir], {
        stdio: ['pipe', 'pipe', 'inherit'],
      }),
    );
    onTestFinished(() => {
      for (const child of askers) child.kill('SIGKILL');
    });
    await Promise.all(askers.map((child) => once(child.stdout, 'data'))); // ready
    for (const child of askers) child.stdin.end('go');
    const codes = await Promise.all(askers.map(async (child) => (await once(child, 'exit'))[0]));
    expect(codes.sort()).toEqual([0, 3, 3, 3, 3]);
  }, 120_000);

  it('T2 a record that cannot be used is told, exit 2', async () => {
    const { lock, options } = office();
    put(
      options.home.dir,
      'roster.sqlite',
      'this is no database, and longer than a header would be',
    );
    const answer = await lock.acquire(claim());
    expect(answer).toMatchObject({ code: 2, stdout: '' });
    expect(answer.stderr).toBe(
      `The lock failed: this machine's record of locks cannot be used, it is damaged: ${options.home.roster} - ` +
        'move the file away: a new one is made, and what ran on this machine today may run once more ' +
        'error_category=unknown_backend_error\n',
    );
  });

  it('T2 a record that is damaged deeper is told in the same words, and works once it is moved away', async () => {
    const { lock, options } = office();
    await lock.acquire(claim());
    const { roster } = options.home;
    const bytes = readFileSync(roster);
    writeFileSync(
      roster,
      Buffer.concat([bytes.subarray(0, 4096), Buffer.alloc(bytes.length - 4096)]),
    );
    const answer = await lock.complete(claim());
    expect(answer).toMatchObject({ code: 2, stdout: '' });
    expect(answer.stderr).toContain(
      `cannot be used, it is damaged: ${roster} - move the file away`,
    );
    renameSync(roster, `${roster}.old`);
    expect(await lock.acquire(claim())).toMatchObject({ code: 0 });
  });

  it('T2 a database of another program is not touched, and named', async () => {
    const { lock, options } = office();
    const other = new Database(options.home.roster);
    other.exec('CREATE TABLE notes (text TEXT)');
    other.close();
    const before = readFileSync(options.home.roster);
    expect((await lock.acquire(claim())).stderr).toContain(
      `it is not Lull's: ${options.home.roster}`,
    );
    expect(readFileSync(options.home.roster)).toEqual(before);
  });

  it('T2 two repositories, and two worktrees of one, are told apart rightly', async () => {
    const first = office();
    const tree = machine([], {}, { clock: first.clock, home: first.options.home });
    put(first.options.root, '.git/HEAD', 'ref: refs/heads/main\n');
    put(first.options.root, '.git/worktrees/run/commondir', '../..\n');
    put(tree.options.root, '.git', `gitdir: ${first.options.root}/.git/worktrees/run\n`);
    const other = machine([], {}, { clock: first.clock, home: first.options.home });
    const lockOf = ({ options }: Machine) => localLock(options);
    expect((await first.lock.acquire(claim())).code).toBe(0);
    expect((await lockOf(tree).acquire(claim())).code).toBe(3);
    expect((await lockOf(other).acquire(claim())).code).toBe(0);
  });
});
