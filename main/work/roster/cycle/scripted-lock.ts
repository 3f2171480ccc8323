import { join } from 'node:path';
import type { Keeping, NewClaim } from '../lock/port.ts';
import { readJson } from '../repository/read-json.ts';
import { LOCK_LIMIT_MS } from './ask-lock.ts';
import type { ChildEnd, LineSink, RunChild } from './child.ts';
import type { Attempt, CycleAnswer, CycleLock } from './lock.ts';

/**
 * The lock of the repository at `root`: for each command its own npm script (`lock:check:<cadence>`,
 * `lock:lock`, `lock:complete`, `lock:health`), and where it has none, `builtIn`. A lock taken by a script
 * is not renewed: those scripts know no renewal.
 */
export function scriptedLock(
  root: string,
  runChild: RunChild,
  say: LineSink,
  builtIn: CycleLock,
): CycleLock {
  const scripts = scriptsOf(root);

  async function ask(
    script: string,
    args: readonly string[],
    env: Record<string, string>,
    otherwise: () => Promise<CycleAnswer>,
  ): Promise<CycleAnswer> {
    if (scripts.has(script)) {
      const order = { label: script, program: 'npm', args: ['run', script, '--', ...args], env };
      return answerOf(await runChild({ ...order, limitMs: LOCK_LIMIT_MS }));
    }
    const answer = await otherwise();
    for (const line of answer.stderr.split('\n')) if (line.trim()) say.err(`[lock] ${line}`);
    return answer;
  }

  return {
    check: (cadence) =>
      ask(`lock:check:${cadence}`, ['--json', '--quiet'], {}, () => builtIn.check(cadence)),
    acquire: (claim, attempt) =>
      ask('lock:lock', claimArgs(claim), { ...claimEnv(claim), ...attemptEnv(attempt) }, () =>
        builtIn.acquire(claim, attempt),
      ),
    complete: (claim) =>
      ask('lock:complete', claimArgs(claim), claimEnv(claim), () => builtIn.complete(claim)),
    health: (cadence) =>
      ask('lock:health', ['--cadence', cadence], {}, () => builtIn.health(cadence)),
    keep: (claim, hear) => (scripts.has('lock:lock') ? notKept() : builtIn.keep(claim, hear)),
  };
}

function scriptsOf(root: string): Set<string> {
  const found = readJson(join(root, 'package.json'));
  const scripts = found.ok ? (found.value as { scripts?: unknown } | null)?.scripts : null;
  return new Set(typeof scripts === 'object' && scripts !== null ? Object.keys(scripts) : []);
}

function claimArgs({ agent, cadence, model }: NewClaim): string[] {
  const args = ['--agent', agent, '--cadence', cadence];
  return model === null ? args : [...args, '--model', model];
}

function claimEnv({ platform, model }: NewClaim): Record<string, string> {
  return {
    ...(platform !== null && { AGENT_PLATFORM: platform }),
    ...(model !== null && { AGENT_MODEL: model }),
  };
}

function attemptEnv({ id, correlationId, idempotencyKey }: Attempt): Record<string, string> {
  return {
    SCHEDULER_LOCK_CORRELATION_ID: correlationId,
    SCHEDULER_LOCK_ATTEMPT_ID: String(id),
    SCHEDULER_LOCK_IDEMPOTENCY_KEY: idempotencyKey,
  };
}

/** A script that had to be ended has not reached its backend. */
function answerOf({ code, stdout, stderr, fault }: ChildEnd): CycleAnswer {
  if (fault === null || code === 127) return { code, stdout, stderr: said(stderr, fault) };
  return { code: 2, stdout, stderr: said(stderr, fault) };
}

function said(stderr: string, fault: string | null): string {
  return fault === null ? stderr : `${stderr}\n${fault}`;
}

function notKept(): Keeping {
  return { lost: new AbortController().signal, stop: async () => {} };
}
