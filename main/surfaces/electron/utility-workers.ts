import { app, utilityProcess } from 'electron';
import { heapFlag, workerEnvironment } from '../../engine/workers/environment.ts';
import { tail, type WorkerPort } from '../../engine/workers/port.ts';
import { LARGEST_MESSAGE } from '../../engine/workers/protocol.ts';

type Utility = ReturnType<typeof utilityProcess.fork>;

/**
 * Worker processes of the desktop app, whose own program is no Node (fuse runAsNode): Electron's utility
 * processes. Their group is the app's, so each is ended by its own process id; Electron ends them with
 * the app. To be used once the app is ready.
 */
export function utilityWorkers(entry: string): WorkerPort {
  let started = 0;
  return {
    start({ memoryMb }, listener) {
      started += 1;
      const child = utilityProcess.fork(entry, [], {
        env: workerEnvironment(process.env, started),
        execArgv: [heapFlag(memoryMb)],
        stdio: ['ignore', 'ignore', 'pipe'],
        serviceName: 'Lull worker',
      });
      const said = tail();
      child.stderr?.on('data', said.push);
      child.on('message', (message: unknown) => {
        const text = typeof message === 'string' ? message : '';
        if (text.length > LARGEST_MESSAGE) listener.onOverflow();
        else listener.onMessage(text);
      });
      child.once('exit', (code) => listener.onEnd({ code, signal: null, said: said.text() }));
      return {
        get pid() {
          return child.pid;
        },
        send: (text) => child.postMessage(text),
        terminate: () => void child.kill(),
        kill: () => kill(child),
        residentBytes: async () => residentBytes(child),
      };
    },
  };
}

/** Electron has no harder word than SIGTERM. */
function kill({ pid }: Utility): void {
  if (pid === undefined) return;
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // it has just ended
  }
}

function residentBytes({ pid }: Utility): number | null {
  const found = app.getAppMetrics().find((one) => one.pid === pid);
  return found ? found.memory.workingSetSize * 1024 : null;
}
