import type { Clock } from '../../base/clock.ts';
import { toFailure } from '../../base/errors.ts';
import { failpoint } from '../../base/failpoint.ts';
import { type ChatTurn, ModelError } from '../models/server.ts';
import type { Kind, ModelHandle, Progress, RunContext, YieldCause } from '../supervisor/handler.ts';
import type { Channel } from './channel.ts';
import { type HostMessage, hostMessage, LARGEST_BATCH, type Said } from './protocol.ts';
import type { ReadPort } from './shelves.ts';

export interface WorkerSide {
  readonly channel: Channel;
  readonly clock: Clock;
  /** The kinds of work, over what may be read of the store of that data folder. */
  readonly kinds: (reads: ReadPort, home: string) => readonly Kind[];
  readonly doors: { allow(servers: readonly string[]): void };
}

/** Progress is told this often at most, milliseconds. */
const TELL_EVERY_MS = 100;

type Start = Extract<HostMessage, { type: 'start' }>;

/**
 * The worker's side: takes its one job, runs its kind's handler as the host's own process would, and
 * says how it ended. It holds nothing: what it knows came with the job or was read by asking.
 */
export function serveWorker({ channel, clock, kinds, doors }: WorkerSide): void {
  const abort = new AbortController();
  const waiting = new Map<
    number,
    PromiseWithResolvers<unknown> & { onText?: (text: string) => void }
  >();
  let lastId = 0;
  let cause: YieldCause | null = null;
  let say: (said: Said) => void = () => {};

  channel.listen((text) => {
    const message = hostMessage.parse(JSON.parse(text));
    switch (message.type) {
      case 'start':
        doors.allow(message.servers);
        void begin(message);
        break;
      case 'answer':
        answered(message);
        break;
      case 'text':
        waiting.get(message.id)?.onText?.(message.text);
        break;
      case 'abort':
        cause = message.cause;
        abort.abort();
        break;
      case 'bye':
        process.exit(0);
    }
  });

  function answered({ id, value, error }: Extract<HostMessage, { type: 'answer' }>): void {
    const open = waiting.get(id);
    waiting.delete(id);
    if (error === null) open?.resolve(value);
    else if (error.fault === null) open?.reject(new Error(error.message));
    else open?.reject(new ModelError(error.fault, error.message));
  }

  function ask<T>(said: (id: number) => Said, onText?: (text: string) => void): Promise<T> {
    lastId += 1;
    const open = { ...Promise.withResolvers<unknown>(), ...(onText && { onText }) };
    waiting.set(lastId, open);
    say(said(lastId));
    return open.promise as Promise<T>;
  }

  async function begin({ job, model, home }: Start): Promise<void> {
    say = (said) => channel.send({ ...said, job: job.id, claim: job.claimNo });
    failpoint('worker.begun');
    try {
      const kind = kinds(reads, home).find(({ name }) => name === job.kind);
      if (!kind) throw new Error(`no handler for kind '${job.kind}'`);
      const outcome = await kind.run(contextOf(job, model));
      failpoint('worker.outcome');
      say({ type: 'ended', outcome });
    } catch (error) {
      const { code } = toFailure(error);
      const message = error instanceof Error ? error.message : String(error);
      say({ type: 'threw', code: code === 'failed' ? null : code, message });
    }
    failpoint('worker.told');
  }

  function contextOf(job: Start['job'], model: Start['model']): RunContext {
    return {
      ...{ job, clock, signal: abort.signal },
      model: { ...model, chat },
      shouldYield: () => cause,
      async checkpoint(token, rows = []) {
        if (rows.length > LARGEST_BATCH)
          throw new Error(`a batch has ${LARGEST_BATCH} rows at most`);
        failpoint('worker.batch');
        cause =
          (await ask<YieldCause | null>((id) => ({ type: 'batch', id, token, rows: [...rows] }))) ??
          cause;
        failpoint('worker.landed');
      },
      progress: tellSometimes,
    };
  }

  const chat: ModelHandle['chat'] = ({ onText, ...request }) =>
    ask<ChatTurn>((id) => ({ type: 'chat', id, request }), onText);

  const reads: ReadPort = {
    get: (shelf, key) => ask((id) => ({ type: 'read', id, request: { verb: 'get', shelf, key } })),
    page: (shelf, after, limit) =>
      ask((id) => ({ type: 'read', id, request: { verb: 'page', shelf, after, limit } })),
    count: (shelf) => ask((id) => ({ type: 'read', id, request: { verb: 'count', shelf } })),
  };

  let toldAt = Number.NEGATIVE_INFINITY;
  function tellSometimes(progress: Progress): void {
    const now = clock.monotonic();
    if (now - toldAt < TELL_EVERY_MS) return;
    toldAt = now;
    say({ type: 'progress', progress });
  }
}
