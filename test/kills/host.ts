import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';

/** The tree whose program is run: the clone itself, or a copy of it with something broken. */
export interface Tree {
  root: string;
  /** Its command line. */
  cli: string;
}

export interface RunningHost {
  process: ChildProcess;
  /** Resolves with how it ended: an exit code, or the signal that ended it. */
  ended: Promise<number | NodeJS.Signals>;
  /** What it wrote on standard error. */
  errors: () => string;
}

/** Starts a host over a home, with a failpoint or none; one that begins with `n/` is its n-th worker's. */
export function startHost(tree: Tree, home: string, failpoint?: string): RunningHost {
  const name = failpoint?.includes('/') ? 'LULL_WORKER_FAILPOINT' : 'LULL_FAILPOINT';
  const child = spawn(
    process.execPath,
    [
      tree.cli,
      ...['start', '--home', home, '--no-open', '--model', 'offline'],
      ...['--facts', join(home, 'facts.json')],
    ],
    {
      env: { ...process.env, ...(failpoint ? { [name]: failpoint } : {}) },
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  let errors = '';
  child.stderr?.on('data', (chunk) => {
    errors += chunk;
  });
  const ended = once(child, 'exit').then(
    ([code, signal]) => (signal ?? code) as number | NodeJS.Signals,
  );
  return { process: child, ended, errors: () => errors };
}

/** The worker processes of a host that still live, whether it does or not. */
export function workersOf(host: number): number[] {
  const lines =
    process.platform === 'linux'
      ? readdirSync('/proc').flatMap((pid) =>
          /^\d+$/.test(pid) ? [`${pid} ${commandOf(pid)}`] : [],
        )
      : spawnSync('ps', ['-axo', 'pid,args'], { encoding: 'utf8' }).stdout.split('\n');
  return lines
    .filter((line) => /worker\.[jt]s --host /.test(line) && line.trim().endsWith(` --host ${host}`))
    .map((line) => Number.parseInt(line, 10));
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return ''; // it has just ended
  }
}

/** Runs one command line without a host; throws with its words when it does not exit 0. */
export function command(tree: Tree, home: string, ...line: string[]): string {
  const run = spawnSync(process.execPath, [tree.cli, '--home', home, ...line], {
    encoding: 'utf8',
  });
  if (run.status !== 0)
    throw new Error(`lull ${line.join(' ')}: exit ${run.status}: ${run.stderr}`);
  return run.stdout;
}

/** A connection to a running host's socket: the same lines any client would send. */
export class Line {
  #socket: Socket;
  #waiting = new Map<number, (reply: { ok: boolean; value: unknown; message?: string }) => void>();
  #next = 1;
  #rest = '';

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (chunk) => this.#read(String(chunk)));
    socket.on('error', () => {});
    socket.on('close', () => {
      for (const settle of this.#waiting.values())
        settle({ ok: false, value: null, message: 'gone' });
    });
  }

  /** Connects when the host answers; null when it ended before. */
  static async open(home: string, host: RunningHost): Promise<Line | null> {
    let over = false;
    void host.ended.then(() => {
      over = true;
    });
    while (!over) {
      const info = join(home, 'host.json');
      if (existsSync(info)) {
        try {
          const { socket: path, pid } = JSON.parse(readFileSync(info, 'utf8'));
          if (pid === host.process.pid) {
            const socket = connect(path);
            await once(socket, 'connect');
            return new Line(socket);
          }
        } catch {
          // not listening yet
        }
      }
      await new Promise((resolve) => setTimeout(resolve, 15));
    }
    return null;
  }

  call<T>(name: string, input: object): Promise<T> {
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, (reply) => {
        this.#waiting.delete(id);
        if (reply.ok) resolve(reply.value as T);
        else reject(new Error(`${name}: ${reply.message}`));
      });
      if (this.#socket.destroyed)
        this.#waiting.get(id)?.({ ok: false, value: null, message: 'gone' });
      else this.#socket.write(`${JSON.stringify({ id, command: name, input })}\n`);
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #read(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      const message = JSON.parse(line);
      if (message.id !== undefined) this.#waiting.get(message.id)?.(message);
    }
  }
}
