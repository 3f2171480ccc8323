/**
 * Named places where a test may end or stop the process, to see what a crash there leaves behind.
 * Off unless LULL_FAILPOINT is set: `name`, `name:n` (the n-th visit), with `=kill` (SIGKILL itself;
 * the default) or `=stop` (SIGSTOP itself, as a host that hangs and comes back).
 */
const wanted = process.env.LULL_FAILPOINT?.match(/^([a-z.-]+)(?::(\d+))?(?:=(kill|stop))?$/);
const visits = new Map<string, number>();

export type Failpoint =
  | 'claim.after'
  | 'load.before'
  | 'load.after'
  | 'model.call'
  | 'tool.result'
  | 'checkpoint.before'
  | 'checkpoint.after'
  | 'batch.inside'
  | 'land.before'
  | 'land.inside'
  | 'land.after'
  | 'admission.inside'
  | 'order.approved'
  | 'order.file'
  | 'order.written'
  | 'cycle.approved'
  | 'cycle.merged'
  | 'migration.inside'
  | 'migration.backup'
  | 'migration.after'
  | 'backup.copied'
  | 'backup.sealed'
  | 'restore.planned'
  | 'restore.copied'
  | 'restore.aside'
  | 'restore.placed'
  // In a worker process, where `model.call` and `tool.result` are too.
  | 'worker.begun'
  | 'worker.batch'
  | 'worker.landed'
  | 'worker.outcome'
  | 'worker.told';

export function failpoint(name: Failpoint): void {
  if (!wanted || wanted[1] !== name) return;
  const visit = (visits.get(name) ?? 0) + 1;
  visits.set(name, visit);
  if (visit !== Number(wanted[2] ?? 1)) return;
  process.stderr.write(`failpoint ${name}\n`);
  process.kill(process.pid, wanted[3] === 'stop' ? 'SIGSTOP' : 'SIGKILL');
}

/**
 * What the n-th worker process of this host gets as its own LULL_FAILPOINT: LULL_WORKER_FAILPOINT is
 * `n/failpoint`, so that the one that follows a killed worker is left alone.
 */
export function workerFailpoint(n: number): string | null {
  const asked = process.env.LULL_WORKER_FAILPOINT?.match(/^(\d+)\/(.+)$/);
  return asked && Number(asked[1]) === n ? (asked[2] as string) : null;
}
