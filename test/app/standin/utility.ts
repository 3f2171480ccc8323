import { type ChildProcess, fork } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { onlyReady, record } from './state.ts';

const CHILD = pathToFileURL(join(import.meta.dirname, 'utility-child.mjs')).href;
const living = new Set<ChildProcess>();

/** Electron's utility processes as Node's children, which the app's end ends. */
class Utility extends EventEmitter {
  readonly stdout = null;
  readonly stderr: ChildProcess['stderr'];
  readonly #child: ChildProcess;

  constructor(modulePath: string, args: readonly string[], options: Electron.ForkOptions) {
    super();
    const { env, execArgv, stdio, serviceName } = options;
    record('utility', { modulePath, args, env, execArgv, stdio, serviceName });
    this.#child = fork(modulePath, args, {
      env: env as NodeJS.ProcessEnv,
      execArgv: ['--import', CHILD, ...(execArgv ?? [])],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.stderr = this.#child.stderr;
    living.add(this.#child);
    this.#child.on('message', (message) => this.emit('message', message));
    this.#child.on('error', () => {});
    this.#child.on('exit', (code) => {
      living.delete(this.#child);
      this.emit('exit', code ?? 0);
    });
  }

  get pid(): number | undefined {
    return living.has(this.#child) ? this.#child.pid : undefined;
  }

  postMessage(message: unknown): void {
    if (this.#child.connected) this.#child.send(message as string);
  }

  kill(): boolean {
    return this.#child.kill('SIGTERM');
  }
}

process.on('exit', () => {
  for (const child of living) child.kill('SIGKILL');
});

export const utilityProcess = {
  fork(modulePath: string, args: string[] = [], options: Electron.ForkOptions = {}) {
    onlyReady('utilityProcess.fork');
    return new Utility(modulePath, args, options);
  },
};

/** What `app.getAppMetrics` tells of them. */
export function utilityMetrics(): Electron.ProcessMetric[] {
  return [...living].flatMap(({ pid }) => {
    const kilobytes = residentKilobytes(pid);
    return kilobytes === null
      ? []
      : [
          {
            pid: pid as number,
            type: 'Utility' as const,
            creationTime: 0,
            cpu: { percentCPUUsage: 0, idleWakeupsPerSecond: 0 },
            memory: { workingSetSize: kilobytes, peakWorkingSetSize: kilobytes },
          },
        ];
  });
}

function residentKilobytes(pid: number | undefined): number | null {
  try {
    return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  } catch {
    return null;
  }
}
