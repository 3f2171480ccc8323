import { sleep } from '../../../base/clock.ts';
import type { CycleAnswer, LockTries } from './lock.ts';
import type { Run } from './run.ts';

/** A command of the lock may take so long; relays have their own, shorter limits. */
export const LOCK_LIMIT_MS = 600_000;
/** What has not answered by then does not answer at all. */
const LAST_LIMIT_MS = LOCK_LIMIT_MS + 60_000;

/**
 * Asks the lock, and again while its backend fails (exit 2): `maxRetries` times more, after
 * `backoffMs · 2^(attempt − 1)` and up to `jitterMs` of chance.
 */
export async function askWithRetries(
  run: Run,
  what: string,
  ask: (attempt: number) => Promise<CycleAnswer>,
): Promise<LockTries> {
  const { maxRetries, backoffMs, jitterMs } = run.settings.lockRetry;
  const { clock, signal, say } = run.around;
  const pausesMs: number[] = [];
  for (let attempt = 1; ; attempt++) {
    const answer = await answerOf(run, ask(attempt));
    if (answer.code !== 2 || attempt > maxRetries || signal.aborted) {
      return { answer, attempts: attempt, pausesMs };
    }
    const chance = Math.floor(clock.random() * (jitterMs + 1));
    const pause = backoffMs * 2 ** (attempt - 1) + chance;
    pausesMs.push(pause);
    say.out(`[cycle] ${what} failed; again in ${pause} ms (${attempt} of ${maxRetries}).`);
    await sleep(clock, pause, signal);
  }
}

/** The answer, or a failure of the backend when none comes in time, or the cycle is stopped. */
export async function answerOf(run: Run, asked: Promise<CycleAnswer>): Promise<CycleAnswer> {
  const { clock, signal } = run.around;
  const answered = new AbortController();
  const late = sleep(clock, LAST_LIMIT_MS, AbortSignal.any([answered.signal, signal])).then(
    (): CycleAnswer => ({
      code: 2,
      stdout: '',
      stderr: signal.aborted ? 'stopped' : 'error_category=relay_query_timeout: no answer in time',
    }),
  );
  try {
    return await Promise.race([asked, late]);
  } finally {
    answered.abort();
  }
}
