import type { Clock } from '../../base/clock.ts';
import type { Config } from '../../base/config-schema.ts';
import { LullError } from '../../base/errors.ts';
import { firstFault } from '../../base/explain.ts';
import { ModelError } from '../models/server.ts';
import type { Kind, Outcome, RunContext, YieldCause } from '../supervisor/handler.ts';
import type { Log } from '../supervisor/ports.ts';
import { batchDeadline } from './deadline.ts';
import { WorkerFault } from './fault.ts';
import { breach, inbox } from './inbox.ts';
import type { Leaving } from './leaving.ts';
import { watchMemory } from './memory-watch.ts';
import type { WorkerEnd, WorkerPort, WorkerProcess } from './port.ts';
import type { HostMessage, WorkerMessage } from './protocol.ts';
import { readShelf } from './shelves.ts';

export interface WorkerParts {
  readonly port: WorkerPort;
  readonly clock: Clock;
  readonly log: Log;
  readonly leaving: Leaving;
  readonly limits: Config['workers'];
  /** `host:port` of the configured model servers. */
  readonly servers: readonly string[];
  /** The data folder. */
  readonly home: string;
}

/** How long a worker that was told to stop may take to say how far it came. */
const STOP_MS = 5000;
const MB = 1024 * 1024;

/**
 * Runs one claimed job in a process of its own: reads for it, calls the model for it, lands its
 * batches, and returns the outcome it says. Whatever else comes of the process is thrown: WorkerFault
 * for its own faults, and what a checkpoint threw. When this returns no model call of it is left.
 */
export async function runInWorker(
  parts: WorkerParts,
  kind: Kind,
  context: RunContext,
): Promise<Outcome> {
  const { clock, log, leaving, limits } = parts;
  const { job, model, signal } = context;
  const graceMs = limits.killGraceSeconds * 1000;
  const over = Promise.withResolvers<Outcome>();
  const box = inbox({ id: job.id, claimNo: job.claimNo });
  const gone = new AbortController();
  let call: Promise<unknown> | null = null;
  let told: YieldCause | null = null;
  let isOver = false;
  let cancelStop = (): void => {};

  const worker = startWorker(parts, {
    onMessage(text) {
      try {
        take(text);
      } catch (error) {
        fail(error);
      }
    },
    onOverflow: () => fail(breach('a message is too long')),
    onEnd(end) {
      const { code, signal } = end;
      log.info({ job: job.id, worker: worker.pid, code, signal }, 'a worker ended');
      if (!isOver) fail(faultOfEnd(end, limits.memoryMb));
      leaving.gone(worker);
    },
  });
  const deadline = batchDeadline(clock, limits.batchDeadlineSeconds * 1000, () =>
    fail(new WorkerFault('overdue', overdue(limits.batchDeadlineSeconds))),
  );
  const unwatch = watchMemory(clock, worker, limits.memoryMb * MB, () =>
    fail(new WorkerFault('memory', tooLarge(limits.memoryMb))),
  );
  signal.addEventListener('abort', stop, { once: true });
  log.info({ job: job.id, worker: worker.pid }, 'a worker started');
  send({
    type: 'start',
    job,
    model: { label: model.label, model: model.model, numCtx: model.numCtx },
    home: parts.home,
    servers: [...parts.servers],
  });
  if (signal.aborted) stop();

  function send(message: HostMessage): void {
    worker.send(JSON.stringify(message));
  }

  function stop(): void {
    told = context.shouldYield() ?? 'quitting';
    send({ type: 'abort', cause: told });
    cancelStop = clock.timer(STOP_MS, () =>
      fail(new WorkerFault('deaf', 'the worker process did not stop when it was told to')),
    );
  }

  function take(text: string): void {
    const message = box.take(text, clock.monotonic());
    switch (message.type) {
      case 'read':
        answer(message.id, () => readShelf(kind.shelves?.(job) ?? {}, message.request));
        break;
      case 'chat':
        void chat(message);
        break;
      case 'batch':
        context.checkpoint(message.token, message.rows);
        deadline.renew();
        told = context.shouldYield();
        answer(message.id, () => told);
        break;
      case 'progress':
        context.progress(message.progress);
        break;
      case 'threw':
        throw message.code === null
          ? new Error(message.message)
          : new LullError(message.code, message.message);
      case 'ended':
        finish(checked(message.outcome));
    }
  }

  function answer(id: number, find: () => unknown): void {
    try {
      send({ type: 'answer', id, value: find() ?? null, error: null });
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      send({ type: 'answer', id, value: null, error: { fault: null, message } });
    }
    box.answered();
  }

  async function chat({ id, request }: Extract<WorkerMessage, { type: 'chat' }>): Promise<void> {
    if (call) return fail(breach('two model calls at once'));
    deadline.pause();
    const onText = (text: string) => send({ type: 'text', id, text });
    const turn = model.chat({ ...request, onText }, gone.signal);
    call = turn.then(
      (value) => answer(id, () => value),
      (error) => {
        const fault = error instanceof ModelError ? error.fault : null;
        const message = error instanceof Error ? error.message : String(error);
        send({ type: 'answer', id, value: null, error: { fault, message } });
        box.answered();
      },
    );
    await call;
    call = null;
    deadline.resume();
  }

  /** An outcome as it may be: what it lands is what its kind lands, and it yields for what it was told. */
  function checked(outcome: Outcome): Outcome {
    if (outcome.kind === 'yielded' && outcome.cause !== told) {
      throw breach(`it yields for "${outcome.cause}" and was told ${told ?? 'nothing'}`);
    }
    if (outcome.kind !== 'done' || !kind.landing) return outcome;
    const parsed = kind.landing.safeParse(outcome.landing);
    if (parsed.success) return outcome;
    throw breach(`of its landing, ${firstFault(parsed.error, 'the whole')}`);
  }

  function finish(outcome: Outcome): void {
    end();
    send({ type: 'bye' });
    leaving.letGo(worker, graceMs);
    over.resolve(outcome);
  }

  function fail(error: unknown): void {
    if (isOver) {
      log.warn({ job: job.id, worker: worker.pid, error: String(error) }, 'a worker went on');
      leaving.end(worker, graceMs);
      return;
    }
    end();
    // What a checkpoint or the handler threw is no fault of the process: it may go by itself.
    if (error instanceof WorkerFault) leaving.end(worker, graceMs);
    else {
      send({ type: 'bye' });
      leaving.letGo(worker, graceMs);
    }
    over.reject(error);
  }

  function end(): void {
    isOver = true;
    deadline.stop();
    unwatch();
    cancelStop();
    signal.removeEventListener('abort', stop);
    gone.abort();
  }

  try {
    return await over.promise;
  } finally {
    await call;
  }
}

function startWorker(
  { port, limits }: WorkerParts,
  listener: Parameters<WorkerPort['start']>[1],
): WorkerProcess {
  try {
    return port.start({ memoryMb: limits.memoryMb }, listener);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new WorkerFault('unstarted', `a worker process could not be started: ${why}`);
  }
}

function faultOfEnd({ code, signal, said }: WorkerEnd, memoryMb: number): WorkerFault {
  if (/heap out of memory/i.test(said)) return new WorkerFault('memory', tooLarge(memoryMb));
  const how = signal ?? (code === null ? 'not started' : `exit ${code}`);
  const lines = said.split('\n').filter((one) => /\w/.test(one));
  const line = (lines.find((one) => /^[A-Z]\w*: /.test(one)) ?? lines.at(-1) ?? '').slice(0, 300);
  const kind = signal === null && code === null ? 'unstarted' : 'died';
  return new WorkerFault(kind, `the worker process died (${how})${line && `: ${line}`}`);
}

function overdue(seconds: number): string {
  return `computed longer than ${seconds} s without a result (workers.batchDeadlineSeconds)`;
}

function tooLarge(memoryMb: number): string {
  return `needed more than ${memoryMb} MB of memory (workers.memoryMb)`;
}
