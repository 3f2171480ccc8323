import type { Clock } from '../../base/clock.ts';
import type { LoadKey } from '../queue/job.ts';
import type { Secrets } from '../secrets/secrets.ts';
import type { HandleRequest, Loader } from './loader.ts';
import type { LoadResult } from './loading.ts';
import type { ChatTurn } from './server.ts';
import { treatment } from './treatment.ts';

export type Readied =
  | {
      ok: true;
      label: string;
      model: string;
      /** The window the server gave, tokens. */
      numCtx: number;
      chat(request: HandleRequest, signal: AbortSignal): Promise<ChatTurn>;
    }
  /** `never`: waiting cannot help. `reviveAt` null: waits for a change of what is in memory. */
  | { ok: false; never: boolean; code: string; reason: string; reviveAt: number | null };

type Asked = [request: HandleRequest, signal: AbortSignal];

export interface ModelPort {
  /** `job`: the one its calls are made for. */
  ensure(key: LoadKey, signal: AbortSignal, job?: number): Promise<Readied>;
  loadedKeys(): LoadKey[];
  takeChange(): boolean;
  /** False where a model of ours stays, or may be on a server that did not answer: to be asked for again. */
  releaseWorker(cause: string): Promise<boolean>;
}

/** The loader as the supervisor uses it: refusals and faults as the end or the deferral of a job. */
export function modelPort(
  loader: Loader,
  clock: Clock,
  grant: Secrets['grant'] = () => null,
): ModelPort {
  /** Faults in a row for each key, so that the waits grow. */
  const faults = new Map<string, number>();

  /** A token for each call, ended with it. */
  async function chat(key: LoadKey, server: string, job: number | null, ...asked: Asked) {
    const [request, signal] = asked;
    const granted = grant(server, job);
    if (!granted) return loader.chat(key, request, signal);
    try {
      return await loader.chat(key, { ...request, token: granted.token }, signal);
    } finally {
      granted.end();
    }
  }

  function readied(key: LoadKey, result: LoadResult, job: number | null): Readied {
    const id = `${key.tier}/${key.numCtx}`;
    if (result.ok) {
      faults.delete(id);
      const { server, model, numCtx } = result.model;
      return {
        ok: true,
        label: server.label,
        model,
        numCtx,
        chat: (request, signal) => chat(key, server.name, job, request, signal),
      };
    }
    const { code, reason } = result;
    if (code !== 'fault') return refusal(code, reason);
    const count = (faults.get(id) ?? 0) + 1;
    faults.set(id, count);
    const { fault } = result;
    const treated = treatment(fault, count);
    const never = treated.kind === 'fail';
    return {
      ok: false,
      never,
      code: `model-${fault.replaceAll('_', '-')}`,
      reason,
      reviveAt: 'afterMs' in treated ? clock.now() + treated.afterMs : null,
    };
  }

  return {
    ensure: async (key, signal, job) => readied(key, await loader.ensure(key, signal), job ?? null),
    loadedKeys: loader.loadedKeys,
    takeChange: loader.takeChange,
    async releaseWorker(cause) {
      const { unsure, stuck } = await loader.releaseWorker(cause);
      return !unsure && stuck.length === 0;
    },
  };
}

function refusal(code: Exclude<(LoadResult & { ok: false })['code'], 'fault'>, reason: string) {
  const text = code === 'ceiling' || code === 'unknown-cost' ? `ceiling: ${reason}` : reason;
  return { ok: false as const, never: code === 'never-fits', code, reason: text, reviveAt: null };
}
