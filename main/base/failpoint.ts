/**
 * Named places where a test may end or stop the process, to see what a crash there leaves behind.
 * Off unless LULL_FAILPOINT is set, as `name`, `name:n` (the n-th visit), with `=wait` (stop there
 * until killed, after printing the name) or `=kill` (SIGKILL itself; the default).
 */
const wanted = process.env.LULL_FAILPOINT?.match(/^([a-z.-]+)(?::(\d+))?(?:=(kill|wait))?$/);
const visits = new Map<string, number>();

export type Failpoint =
  | 'claim.after'
  | 'load.before'
  | 'load.after'
  | 'model.call'
  | 'tool.result'
  | 'checkpoint.before'
  | 'checkpoint.after'
  | 'land.before'
  | 'land.inside'
  | 'land.after'
  | 'admission.inside'
  | 'admission.after'
  | 'order.approved'
  | 'order.file'
  | 'order.written'
  | 'migration.inside'
  | 'migration.backup'
  | 'migration.after';

export function failpoint(name: Failpoint): void {
  if (!wanted || wanted[1] !== name) return;
  const visit = (visits.get(name) ?? 0) + 1;
  visits.set(name, visit);
  if (visit !== Number(wanted[2] ?? 1)) return;
  process.stderr.write(`failpoint ${name}\n`);
  if (wanted[3] === 'wait') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  process.kill(process.pid, 'SIGKILL');
}
