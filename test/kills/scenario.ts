import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Asked, check } from './checker.ts';
import { command, Line, type RunningHost, startHost, type Tree, workersOf } from './host.ts';

const IDLE_ON_MAINS = { idleSeconds: 900, powerSource: 'mains' };
const STOCK = `sku,name,on hand,reorder point,unit cost
KILL-A,Alpha,2,8,2.50
KILL-B,Beta,1,5,2.75
KILL-C,Gamma,12,12,3.00
`;
/** Added through the running host, by an identity, so that asking again is the same work. */
const ADDED = 'kills-added';

/** A data folder with work waiting in it, made once; each kill gets a copy. */
export function makeTemplate(tree: Tree): string {
  const home = join(mkdtempSync(join(tmpdir(), 'lull-kills-')), 'home');
  mkdirSync(home, { mode: 0o700 });
  writeFileSync(join(home, 'facts.json'), JSON.stringify(IDLE_ON_MAINS));
  writeFileSync(join(home, 'notes.txt'), 'Alpha comes from the mill. Beta comes by train.\n');
  const outside = join(home, '..', 'notes.txt');
  writeFileSync(outside, 'Alpha comes from the mill. Beta comes by train.\n');
  writeFileSync(join(home, '..', 'stock.csv'), STOCK);
  command(tree, home, 'stock', 'import', join(home, '..', 'stock.csv'));
  command(tree, home, 'watch', 'add', 'a-low', '--sku', 'KILL-A');
  command(tree, home, 'watch', 'add', 'b-low', '--sku', 'KILL-B');
  const first = new Date(Date.now() - 39 * 60_000).toISOString();
  command(
    tree,
    home,
    'schedule',
    'add',
    'opening',
    '--prompt',
    'Prepare the opening draft.',
    '--every',
    '1d',
    '--first',
    first,
  );
  command(tree, home, 'add', 'What do the notes say?', '--files', outside);
  return home;
}

export function copyOf(template: string): string {
  const home = join(mkdtempSync(join(tmpdir(), 'lull-kill-')), 'home');
  cpSync(template, home, { recursive: true });
  return home;
}

export function remove(home: string): void {
  rmSync(join(home, '..'), { recursive: true, force: true });
}

/** What must be there in the end. */
const ASKED: Asked = {
  sources: ['stock-condition:a-low:1', 'stock-condition:b-low:1', `manual:${ADDED}`],
  prefixes: ['job:opening@1:', 'manual:'],
};

export type Ending = 'reached' | 'not reached';
export interface Ended {
  ending: Ending;
  faults: string[];
}

/** Lets these kinds of work run in worker processes. */
export function useWorkers(home: string, mode: object): void {
  writeFileSync(join(home, 'config.json'), JSON.stringify({ workers: { mode } }));
}

/** Ends a host at a place, starts it again, lets it finish, and returns what the checker says. */
export async function killAt(tree: Tree, home: string, failpoint: string): Promise<Ended> {
  const first = startHost(tree, home, failpoint);
  const ending = await untilDeadOrDone(home, first);
  if (ending === 'not reached') {
    first.process.kill('SIGTERM');
    await first.ended;
  }
  const faults = await noneLeft(first);
  faults.push(...(await finish(tree, home)));
  return { ending, faults: faults.length > 0 ? faults : check(home, ASKED) };
}

/** Ends a worker at a place; its host goes on, and has to finish by itself. */
export async function workerKilledAt(tree: Tree, home: string, failpoint: string): Promise<Ended> {
  const host = startHost(tree, home, failpoint);
  const line = await Line.open(home, host);
  if (!line) return { ending: 'not reached', faults: [`the host did not start: ${host.errors()}`] };
  const faults = await settleAll(line).then(
    () => [] as string[],
    (error: Error) => [error.message],
  );
  line.close();
  host.process.kill('SIGTERM');
  const end = await host.ended;
  if (end !== 0) faults.push(`the host ended with ${end} on SIGTERM: ${host.errors()}`);
  faults.push(...(await noneLeft(host)));
  const ending = workerWasKilled(home) ? 'reached' : 'not reached';
  return { ending, faults: faults.length > 0 ? faults : check(home, ASKED) };
}

function workerWasKilled(home: string): boolean {
  const logs = join(home, 'logs');
  return readdirSync(logs)
    .flatMap((name) => readFileSync(join(logs, name), 'utf8').split('\n'))
    .some((line) => line.includes('a worker ended') && line.includes('SIGKILL'));
}

/** No worker outlives its host. */
async function noneLeft({ process: host }: RunningHost): Promise<string[]> {
  const gone = await until(() => workersOf(host.pid as number).length === 0, 20_000);
  return gone ? [] : [`workers outlived the host: ${workersOf(host.pid as number)}`];
}

/**
 * A host hangs in the middle of a run, its lock is lost (somebody removes the lock file), another host
 * takes over and finishes, and then the first one wakes up and lands what it had.
 */
export async function zombieAt(tree: Tree, home: string, failpoint: string): Promise<Ended> {
  const zombie = startHost(tree, home, `${failpoint}=stop`);
  const stopped = await Promise.race([
    until(() => zombie.errors().includes('failpoint'), 15_000),
    zombie.ended,
  ]);
  if (stopped !== true)
    return { ending: 'not reached', faults: [`the host never stopped: ${zombie.errors()}`] };
  rmSync(join(home, 'lock.sqlite'));
  const heir = startHost(tree, home);
  const line = await Line.open(home, heir);
  if (!line)
    return { ending: 'reached', faults: [`the second host did not start: ${heir.errors()}`] };
  await settleAll(line);
  zombie.process.kill('SIGCONT');
  await new Promise((resolve) => setTimeout(resolve, 1500));
  zombie.process.kill('SIGTERM');
  await zombie.ended;
  await settleAll(line);
  line.close();
  heir.process.kill('SIGTERM');
  await heir.ended;
  return { ending: 'reached', faults: check(home, ASKED) };
}

/** Drives the host until it dies, or until it has nothing left to do. */
async function untilDeadOrDone(home: string, host: RunningHost): Promise<Ending> {
  const line = await Line.open(home, host);
  if (!line) return 'reached';
  const work = settleAll(line).then(
    () => 'not reached' as const,
    () => 'reached' as const,
  );
  const ending = await Promise.race([host.ended.then(() => 'reached' as const), work]);
  if (ending === 'reached') await host.ended;
  line.close();
  return ending;
}

/** Starts the host whole, lets everything finish, and stops it cleanly. */
async function finish(tree: Tree, home: string): Promise<string[]> {
  const host = startHost(tree, home);
  const line = await Line.open(home, host);
  if (!line) return [`the next start failed: ${host.errors()}`];
  const stuck = await settleAll(line).then(
    () => null,
    (error: Error) => error.message,
  );
  line.close();
  host.process.kill('SIGTERM');
  const end = await host.ended;
  if (stuck !== null) return [stuck];
  return end === 0 ? [] : [`the next start ended with ${end} on SIGTERM: ${host.errors()}`];
}

interface Draft {
  id: number;
  kind: string;
}

/** Asks for the added task, waits till nothing is open, and approves every order twice. */
async function settleAll(line: Line): Promise<void> {
  await line.call('jobs.add', { text: 'What else is there?', identity: ADDED });
  const calm = async () => {
    const { queue } = await line.call<{ queue: Record<'queued' | 'running' | 'deferred', number> }>(
      'status',
      {},
    );
    return queue.queued + queue.running + queue.deferred === 0;
  };
  if (!(await until(calm, 60_000)))
    throw new Error('work stayed open although everything could run');
  for (const round of [1, 2]) {
    for (const state of ['pending', 'approved', 'apply-failed'] as const) {
      for (const draft of await line.call<Draft[]>('drafts.list', { state })) {
        if (draft.kind === 'order') await approve(line, draft.id);
      }
    }
    if (round === 1) {
      for (const draft of await line.call<Draft[]>('drafts.list', { state: 'applied' })) {
        if (draft.kind === 'order') await approve(line, draft.id);
      }
    }
  }
}

async function approve(line: Line, id: number): Promise<void> {
  const answer = await line.call<{ outcome: string; confirm?: string }>('drafts.approve', { id });
  if (answer.outcome === 'changed')
    await line.call('drafts.approve', { id, confirm: answer.confirm });
}

async function until(done: () => boolean | Promise<boolean>, ms: number): Promise<boolean> {
  const end = Date.now() + ms;
  while (Date.now() < end) {
    if (await done()) return true;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return false;
}
