import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { type Clock, sleep } from '../../../base/clock.ts';
import { childEnvironment } from './child-environment.ts';
import { endFamily, FAMILY_MARK } from './family.ts';
import { hear } from './hearing.ts';
import { whyStopped } from './stopped.ts';

export interface ChildOrder {
  /** Stands in front of each line it prints. */
  label: string;
  program: string;
  args: readonly string[];
  /** Laid over the allowed environment. */
  env?: Readonly<Record<string, string>>;
  limitMs: number;
  /** Texts that are looked for in all of its output. */
  markers?: readonly string[];
}

export interface ChildEnd {
  /** Its own exit code; 127 when it could not be started, 1 when something ended it. */
  code: number;
  /** The beginning of what it wrote, at most a million characters of each stream. */
  stdout: string;
  stderr: string;
  /** The markers that stood in its output. */
  found: ReadonlySet<string>;
  /** Why it has no exit code of its own, as a sentence; null when it has one. */
  fault: string | null;
}

export type RunChild = (order: ChildOrder) => Promise<ChildEnd>;

/** Where lines go: a child's standard output to `out`, its standard error to `err`. */
export interface LineSink {
  out(line: string): void;
  err(line: string): void;
}

export interface ChildSurroundings {
  cwd: string;
  env: NodeJS.ProcessEnv;
  clock: Clock;
  /** Ends the child when it aborts; its reason is told. */
  signal: AbortSignal;
  say: LineSink;
  /** What the marks of its programs begin with, where they are to be found again after a crash. */
  familyMark?: string;
}

/** After a family has ended its pipes close; somebody who hides from us must not hold us up. */
const PIPES_MS = 1_000;

/**
 * Runs programs for a cycle: no standard input, an environment by an allow-list, each in a process group
 * of its own. When a program ends, is over its time limit, or the cycle is stopped, everything it started
 * is ended too. Never rejects.
 */
export function childRunner(around: ChildSurroundings): RunChild {
  const { cwd, clock, signal, say } = around;
  return async (order) => {
    const found = new Set<string>();
    const markers = order.markers ?? [];
    const out = hear('stdout', (line) => say.out(`[${order.label}] ${line}`), markers, found);
    const err = hear('stderr', (line) => say.err(`[${order.label}] ${line}`), markers, found);
    const ended = (code: number, fault: string | null): ChildEnd => {
      out.end();
      err.end();
      return { code, stdout: out.kept(), stderr: err.kept(), found, fault };
    };
    if (signal.aborted) return ended(1, whyStopped(signal));

    const mark = [around.familyMark ?? [], randomUUID()].flat().join('.');
    let child: ChildProcess;
    try {
      child = spawn(order.program, order.args, {
        cwd,
        env: childEnvironment(around.env, { ...order.env, [FAMILY_MARK]: mark }),
        stdio: ['ignore', 'pipe', 'pipe'],
        detached: true,
      });
    } catch (error) {
      return ended(127, notStarted(order.program, error));
    }
    child.stdout?.setEncoding('utf8').on('data', out.take);
    child.stderr?.setEncoding('utf8').on('data', err.take);
    const exited = exitOf(child);
    const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
    const leader = child.pid;
    if (leader === undefined) return ended(127, notStarted(order.program, (await exited).error));

    let fault: string | null = null;
    let ending: Promise<void> | null = null;
    const end = (why: string | null) => {
      if (!ending) fault = why;
      ending ??= endFamily({ leader, mark }, clock);
      return ending;
    };
    const onAbort = () => void end(whyStopped(signal));
    const cancelLimit = clock.timer(order.limitMs, () => {
      void end(`It took longer than ${inMinutes(order.limitMs)} and was ended.`);
    });
    signal.addEventListener('abort', onAbort, { once: true });
    const exit = await exited;
    cancelLimit();
    await end(null);
    signal.removeEventListener('abort', onAbort);
    const waited = new AbortController();
    await Promise.race([closed, sleep(clock, PIPES_MS, waited.signal)]);
    waited.abort();
    child.stdout?.destroy();
    child.stderr?.destroy();
    if (fault === null && exit.signal) fault = `It was ended by ${exit.signal}.`;
    return ended(fault === null ? (exit.code ?? 1) : 1, fault);
  };
}

interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
  error?: unknown;
}

function exitOf(child: ChildProcess): Promise<Exit> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
    child.once('error', (error) => resolve({ code: null, signal: null, error }));
  });
}

function notStarted(program: string, error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return `There is no program "${program}" on the PATH.`;
  return `"${program}" could not be started: ${message}.`;
}

function inMinutes(ms: number): string {
  return ms < 120_000 ? `${Math.round(ms / 1000)} s` : `${Math.round(ms / 60_000)} min`;
}
