import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Clock, systemClock } from '../../../../main/base/clock.ts';
import { resolveHome } from '../../../../main/base/home.ts';
import type { CycleLock } from '../../../../main/work/roster/cycle/lock.ts';
import { scriptedLock } from '../../../../main/work/roster/cycle/scripted-lock.ts';
import { localLock } from '../../../../main/work/roster/lock/local-lock.ts';
import { nostrLock } from '../../../../main/work/roster/lock/nostr-lock.ts';
import { lockOptions } from '../../../../main/work/roster/lock/open-lock.ts';
import type { LockOptions } from '../../../../main/work/roster/lock/session.ts';
import { startRelay } from '../../../support/relay/relay.ts';
import { temporaryFolder } from '../../../support/store.ts';
import { cycleIn, type Sample, sampleRepository } from './sample-repository.ts';

/** The real clock, which can be put forward. */
function settableClock(start: number): Clock & { forward(ms: number): void } {
  const real = systemClock();
  let ahead = start - real.now();
  return {
    ...real,
    now: () => real.now() + ahead,
    forward(ms) {
      ahead += ms;
    },
  };
}

function optionsOf({ root }: Sample, clock: Clock): LockOptions {
  const options = lockOptions({ root, home: resolveHome(temporaryFolder()), clock, env: {} });
  if (!options.ok) throw new Error(options.message);
  return options.value;
}

const HOUR = 3_600_000;
const BEFORE_MIDNIGHT = Date.parse('2026-02-20T23:30:00Z');
const RUNS_LONG = 'echo on; while [ ! -e go ]; do sleep 0.1; done; bash agent.sh';

/** A cycle whose agent takes four hours: past midnight UTC, and past the lock's time to live. */
async function longRun(sample: Sample, clock: ReturnType<typeof settableClock>, lock: CycleLock) {
  return cycleIn(sample, {
    ...{ clock, lock },
    onLine(line) {
      if (line !== '[handoff] on') return;
      clock.forward(4 * HOUR);
      sample.write('go', '');
    },
  });
}

describe('a cycle with a lock of ours', { timeout: 120_000 }, () => {
  it('T5 across midnight and beyond the time to live completes, on this machine', async () => {
    const sample = sampleRepository({ config: { handoffCommandByCadence: { daily: RUNS_LONG } } });
    const clock = settableClock(BEFORE_MIDNIGHT);
    const options = optionsOf(sample, clock);
    const ran = await longRun(sample, clock, localLock(options));
    expect(ran).toMatchObject({ code: 0, status: 'completed', agent: 'audit-agent' });
    expect(ran.log.created_at).toMatch(/^2026-02-21T03:/);
    expect(ran.memoryFile).toContain('2026-02-20T23-30-');
    // Its day is the one on which it began; the logs keep it from running again on the next.
    const next = await cycleIn(sample, { clock, lock: localLock(options) });
    expect(next.agent).toBe('ci-agent');
  });

  it('T5 across midnight and beyond the time to live completes, over a relay', async () => {
    // The next midnight: to the relay, which has its own clock, an event of the past would be expired.
    const clock = settableClock((Math.floor(Date.now() / (24 * HOUR)) + 1) * 24 * HOUR - HOUR / 2);
    const relay = await startRelay();
    const sample = sampleRepository({ config: { handoffCommandByCadence: { daily: RUNS_LONG } } });
    const config = JSON.parse(sample.read('torch-config.json'));
    // By this clock every file is of before the run.
    sample.write('scripts/agent/verify-run-artifacts.mjs', '');
    config.nostrLock = { relays: [relay.url], queryTimeoutMs: 20_000 };
    sample.write('torch-config.json', JSON.stringify(config));
    try {
      const ran = await longRun(sample, clock, nostrLock(optionsOf(sample, clock)));
      expect(ran).toMatchObject({ code: 0, status: 'completed', agent: 'audit-agent' });
    } finally {
      await relay.close();
    }
  });

  it('T5 keeps the lock while the agent’s part lasts, and tells when it is lost', async () => {
    const sample = sampleRepository();
    const events: string[] = [];
    const lost = new AbortController();
    const real = localLock(optionsOf(sample, systemClock()));
    const lock: CycleLock = {
      ...real,
      keep(claim, say) {
        events.push(`kept ${claim.agent}`);
        say('renewed');
        return { lost: lost.signal, stop: async () => void events.push('stopped') };
      },
      async complete(claim) {
        events.push('completed');
        return real.complete(claim);
      },
    };
    const ran = await cycleIn(sample, {
      lock,
      onLine: (line) => line === '[handoff] MEMORY_STORED' && lost.abort('another process has it'),
    });
    expect(ran.code).toBe(0);
    expect(events).toEqual(['kept audit-agent', 'completed', 'stopped']);
    expect(ran.err).toContain('[lock] renewed');
    expect(ran.err).toContain('[cycle] The lock is lost: another process has it');
  });
});

describe('the lock of a repository', { timeout: 120_000 }, () => {
  it('T1 is asked by its own scripts, and by ours for what it has none', async () => {
    const sample = sampleRepository({ without: ['lock:health', 'lock:check:daily'] });
    const asked: string[] = [];
    const lock = scriptedLock(
      sample.root,
      async (order) => {
        asked.push([order.program, ...order.args].join(' '));
        return { code: 0, stdout: '', stderr: '', found: new Set(), fault: null };
      },
      { out: () => {}, err: (line) => asked.push(line) },
      {
        ...localLock(optionsOf(sample, systemClock())),
        health: async (cadence) => ({ code: 0, stdout: `{"${cadence}":1}`, stderr: 'first use\n' }),
      },
    );
    const claim = { agent: 'ci-agent', cadence: 'daily', platform: 'claude', model: null } as const;
    expect((await lock.health('daily')).stdout).toBe('{"daily":1}');
    expect(JSON.parse((await lock.check('daily')).stdout)).toMatchObject({ excluded: [] });
    await lock.acquire(claim, { id: 1, correlationId: 'x', idempotencyKey: 'k' });
    await lock.complete({ ...claim, model: 'opus' });
    expect(asked).toEqual([
      '[lock] first use',
      'npm run lock:lock -- --agent ci-agent --cadence daily',
      'npm run lock:complete -- --agent ci-agent --cadence daily --model opus',
    ]);
  });

  it('T1 that had to be ended counts as one that cannot be reached', async () => {
    const sample = sampleRepository();
    const lock = scriptedLock(
      sample.root,
      async () => ({ code: 1, stdout: '', stderr: 'a', found: new Set(), fault: 'Too long.' }),
      { out: () => {}, err: () => {} },
      localLock(optionsOf(sample, systemClock())),
    );
    expect(await lock.check('daily')).toEqual({ code: 2, stdout: '', stderr: 'a\nToo long.' });
  });

  it('T3 is left to itself where npm is not there: failed, not run', async () => {
    const sample = sampleRepository();
    const ran = await cycleIn(sample, { npm: true, env: { PATH: join(sample.root, 'empty') } });
    expect(ran).toMatchObject({ code: 127, status: 'failed', reason: 'Failed to acquire lock' });
    expect(ran.log.lock_stderr_excerpt).toContain('There is no program "npm" on the PATH.');
  });
});
