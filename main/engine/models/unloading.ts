import { type Clock, sleep } from '../../base/clock.ts';
import type { ModelsTable } from '../../base/store/models.ts';
import { ModelError, type ModelServer } from './server.ts';

export interface EvictorParts {
  readonly clock: Clock;
  readonly table: Pick<ModelsTable, 'record'>;
  /** A load or an unload begins or ends. */
  readonly stir: () => void;
}

export interface Named {
  readonly server: string;
  readonly model: string;
}

/** What tells one model of all servers from another. */
export function idOf({ server, model }: Named): string {
  return `${server}\n${model}`;
}

export interface Evictor {
  /**
   * Asks for the unload and waits until the server no longer lists the model: that it said yes means
   * nothing (ollama/ollama#17792). False when it is still there at the deadline.
   */
  putOut(server: ModelServer, one: Named, cause: string, signal?: AbortSignal): Promise<boolean>;
  /** Being put out now: no call may start on it. */
  isLeaving(one: Named): boolean;
  /** Asked to leave a short while ago, and stayed: counts as resident, and asking again is no use. */
  isStuck(one: Named): boolean;
}

const DEADLINE_MS = 30_000;
const FIRST_POLL_MS = 100;
const LONGEST_POLL_MS = 1_000;
const STUCK_FOR_MS = 60_000;

export function evictor({ clock, table, stir }: EvictorParts): Evictor {
  /** Who waits for it to leave; one that saw it gone says so to the others. */
  const leaving = new Map<string, Set<{ gone: boolean }>>();
  const stuck = new Map<string, number>();

  async function putOut(
    server: ModelServer,
    one: Named,
    cause: string,
    signal?: AbortSignal,
  ): Promise<boolean> {
    const key = idOf(one);
    const mine = { gone: false };
    const all = leaving.get(key) ?? new Set();
    leaving.set(key, all.add(mine));
    const started = clock.monotonic();
    const row = { server: one.server, model: one.model };
    try {
      let problem = await ask(server, one.model, signal);
      for (let wait = FIRST_POLL_MS; ; wait = Math.min(wait * 2, LONGEST_POLL_MS)) {
        const seen = await isListed(server, one.model, signal);
        // Written down already, and it may be loaded anew by now: then this would undo the load.
        if (mine.gone) return true;
        const millis = Math.round(clock.monotonic() - started);
        if (seen === false) {
          table.record({ ...row, at: clock.now(), action: 'unload', millis, detail: cause });
          stuck.delete(key);
          for (const other of all) other.gone = true;
          return true;
        }
        problem = typeof seen === 'string' ? seen : problem;
        if (millis >= DEADLINE_MS) {
          const detail = `${cause}; still resident${problem ? `: ${problem}` : ''}`;
          table.record({ ...row, at: clock.now(), action: 'stuck', millis, detail });
          stuck.set(key, clock.monotonic() + STUCK_FOR_MS);
          return false;
        }
        await sleep(clock, wait, signal);
        if (signal?.aborted) throw new ModelError('aborted', 'the load was stopped');
      }
    } finally {
      all.delete(mine);
      if (all.size === 0) leaving.delete(key);
      stir();
    }
  }

  return {
    putOut,
    isLeaving: (one) => [...(leaving.get(idOf(one)) ?? [])].some(({ gone }) => !gone),
    isStuck: (one) => clock.monotonic() < (stuck.get(idOf(one)) ?? Number.NEGATIVE_INFINITY),
  };
}

/** What went wrong with the asking, or an empty text; only the list decides. */
async function ask(server: ModelServer, model: string, signal?: AbortSignal): Promise<string> {
  try {
    await server.unload(model, signal);
    return '';
  } catch (error) {
    return problemOf(error);
  }
}

/** Whether the server lists the model; a text when it did not say. */
async function isListed(
  server: ModelServer,
  model: string,
  signal?: AbortSignal,
): Promise<boolean | string> {
  try {
    return (await server.resident(signal)).some((one) => one.name === model);
  } catch (error) {
    return problemOf(error);
  }
}

function problemOf(error: unknown): string {
  if (!(error instanceof ModelError) || error.fault === 'aborted') throw error;
  return error.message;
}
