import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { Outcome } from '../../../../main/engine/supervisor/handler.ts';
import { cycleBody } from '../../../../main/work/roster/draft-body.ts';
import { commitAll, committedSample, denFor, rosterOf } from '../../../support/roster-den.ts';

/** Lull's own lock over a relay that nobody reaches. */
const DOWN = { lock: 'relays', relays: ['ws://127.0.0.1:1'] };

async function denOf(scheduler: object, nostrLock: object = {}) {
  const sample = committedSample({ ...scheduler });
  const configure = (more: object) => {
    const config = JSON.parse(sample.read('torch-config.json'));
    sample.write('torch-config.json', JSON.stringify({ ...config, nostrLock, ...more }));
    commitAll(sample.root, 'Say what holds');
  };
  configure({});
  return { sample, configure, den: await denFor(sample, rosterOf(sample.root, {}, DOWN)) };
}

function agentOf(outcome: Outcome): string {
  if (outcome.kind !== 'done') throw new Error(JSON.stringify(outcome));
  return cycleBody.parse(outcome.landing?.draft?.body).agent;
}

describe('relays that are down, in the app', { timeout: 240_000 }, () => {
  it('T6 the cycle fails, and says why, where the repository says nothing else', async () => {
    const { den } = await denOf({});
    expect(await den.run()).toMatchObject({
      kind: 'failed',
      error: expect.stringMatching(
        /^Lock backend error: .*websocket_connection_refused_or_dns.*Prompt not executed\./,
      ),
    });
    expect(den.runs.latest(1)).toMatchObject([{ status: 'failed', head: null }]);
  });

  it('T6 it is put off, as often as the repository allows, where that is not strict', async () => {
    const { den } = await denOf({ strict_lock: false, max_deferrals: 1 });
    expect(await den.run()).toEqual({
      kind: 'done',
      landing: { result: expect.stringMatching(/^Put off\. Lock backend deferred: /) },
    });
    expect(await den.run()).toMatchObject({
      kind: 'failed',
      error: expect.stringMatching(/^Lock backend error: /),
    });
  });

  it('T6 this machine decides alone where the repository says so, and goes round the roster', async () => {
    const { den } = await denOf({}, { whenUnreachable: 'local' });
    expect(agentOf(await den.run())).toBe('audit-agent');
    expect(agentOf(await den.run())).toBe('ci-agent');
  });

  it('T6 an agent that this machine gave and that was stopped has its turn again', async () => {
    const handoffCommandByCadence = { daily: 'touch begun; (sleep 600 & sleep 600)' };
    const local = { whenUnreachable: 'local' };
    const { den, sample, configure } = await denOf({ handoffCommandByCadence }, local);
    const stop = new AbortController();
    const running = den.run({
      signal: stop.signal,
      shouldYield: () => (stop.signal.aborted ? 'returned' : null),
    });
    const begun = () => den.runs.latest(1).some((one) => existsSync(join(one.worktree, 'begun')));
    await vi.waitFor(() => expect(begun()).toBe(true), { timeout: 120_000 });
    stop.abort();
    expect(await running).toEqual({ kind: 'yielded', cause: 'returned' });
    expect(den.runs.latest(1)).toMatchObject([{ status: 'interrupted', agent: 'audit-agent' }]);
    sample.configure({
      handoffCommandByCadence: { daily: 'bash agent.sh' },
      validationCommandsByCadence: { daily: [] },
    });
    configure({});
    expect(agentOf(await den.run())).toBe('audit-agent');
  });
});
