import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { workers } from '../../../main/engine/workers/in-workers.ts';
import { nodeWorkers } from '../../../main/engine/workers/node-workers.ts';
import type { WorkerPort, WorkerProcess } from '../../../main/engine/workers/port.ts';
import { until } from '../../support/host.ts';
import { supervisorRoom } from '../supervisor/room.ts';

/** The kind that worker entries of the tests know; its batches land numbers. */
export const KIND = 'apart';
const row = z.strictObject({ n: z.int() });

/**
 * A supervisor over a real queue and real worker processes of the entry; the supervisor's time is the
 * test's, so that no deadline passes by itself.
 */
export async function workerRoom(
  entry: string,
  { settings = {}, flags }: { settings?: object; flags?: readonly string[] } = {},
) {
  const room = await supervisorRoom({
    ...settings,
    workers: { mode: { [KIND]: 'worker' }, ...(settings as { workers?: object }).workers },
  });
  room.store.db.exec('CREATE TABLE numbers (job INTEGER, n INTEGER)');
  const insert = room.store.db.prepare('INSERT INTO numbers VALUES (?, ?)');
  const started: WorkerProcess[] = [];
  const real = nodeWorkers(join(import.meta.dirname, 'entries', entry), room.clock, flags);
  const port: WorkerPort = {
    start(options, listener) {
      const process = real.start(options, listener);
      started.push(process);
      return process;
    },
  };
  const processes = workers({
    ...{ port, clock: room.clock, log: room.log, home: '/nowhere' },
    config: () => room.config,
  });
  onTestFinished(async () => {
    for (const one of started) one.kill();
    await processes.close();
  });
  room.kinds.set(
    KIND,
    processes.around({
      name: KIND,
      idempotent: false,
      run: async () => ({ kind: 'failed', error: 'it ran in the host' }),
      batches: {
        row,
        land(job, rows) {
          for (const { n } of rows as z.infer<typeof row>[]) insert.run(job.id, n);
        },
      },
      landing: z.looseObject({ draft: z.undefined().optional() }),
      shelves: () => ({ numbers: { get: Number, page: () => [1, 2, 3], count: () => 3 } }),
    }),
  );
  return Object.assign(room, {
    started,
    processes,
    apart: (payload: object, more: object = {}) => room.add({ kind: KIND, payload, ...more }),
    numbers: (): number[] =>
      room.store.db.prepare<[], number>('SELECT n FROM numbers ORDER BY rowid').pluck().all(),
    /** Passes, in real time, until it holds; the supervisor's time stands still. */
    until: <T>(holds: () => T) =>
      until(
        () => {
          room.supervisor.runOnce();
          return holds();
        },
        30_000,
        () => `it never came to that:\n${room.lines.join('\n')}`,
      ),
  });
}

export type WorkerRoom = Awaited<ReturnType<typeof workerRoom>>;

export function isAlive(pid: number | undefined): boolean {
  try {
    process.kill(pid as number, 0);
    return true;
  } catch {
    return false;
  }
}
