import { setFlagsFromString } from 'node:v8';
import { type Clock, systemClock } from './base/clock.ts';
import type { Home } from './base/home.ts';
import { PANEL } from './compose.ts';
import { nativeHold } from './engine/supervisor/sleep-keeper.ts';
import { nodeWorkers } from './engine/workers/node-workers.ts';
import type { WorkerPort } from './engine/workers/port.ts';
import { openHost } from './host.ts';
import { doorFile } from './surfaces/http/door-file.ts';
import { serveHttp } from './surfaces/http/server.ts';
import { tellByNotifier } from './surfaces/notifier.ts';
import { openUrl } from './surfaces/open-url.ts';
import { serveSocket } from './surfaces/socket/server.ts';
import { WORKER_ENTRY } from './worker-entry.ts';

/**
 * The host under plain Node: the panel on the loopback for a browser, the socket for the command
 * line. Prints where it is, serves until `stopped` (by itself: SIGTERM, SIGINT or SIGHUP), and resolves
 * with the exit code.
 */
export async function startHost(
  options: {
    home: Home;
    port: number | null;
    open: boolean;
    offline: boolean;
    facts: string | null;
  },
  stopped = toldToStop(),
): Promise<number> {
  // V8 would wake an idle host every 8 s to see whether it could give some memory back. The switch
  // that names it has no effect once V8 runs; this one, which allows it no collections, does.
  setFlagsFromString('--memory-reducer-gc-count=0');
  const { home, offline, facts } = options;
  const clock = systemClock();
  const host = await openHost({
    ...{ home, offline, facts, clock },
    sleepHold: nativeHold(),
    say: (line) => void process.stderr.write(`lull: ${line}\n`),
    ...plainNodeWorkers(clock),
    offlineDelayMs: Number(process.env.LULL_OFFLINE_DELAY_MS ?? 0),
  });
  try {
    const { hello, dispatch, subscribe } = host;
    const http = await serveHttp({
      ...{ port: options.port, panel: PANEL, hello, dispatch, subscribe, clock },
      door: doorFile(home.panelDoor),
    });
    const socket = await serveSocket(host.lock, {
      hello,
      dispatch,
      subscribe,
      panel: http.panelLink,
    });
    const hush = tellByNotifier({
      ...{ dispatch, subscribe },
      onUnable: (why) => host.log.info({ why }, 'notices cannot be shown on this machine'),
    });
    const link = http.panelLink();
    process.stdout.write(`Lull is running\n${link}\n`);
    if (options.open) openUrl(link);
    await stopped;
    hush();
    await socket.close();
    await http.close();
  } finally {
    await host.stop();
  }
  process.stdout.write('Lull has stopped\n');
  return 0;
}

function toldToStop(): Promise<void> {
  const told = Promise.withResolvers<void>();
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
    process.on(signal, () => told.resolve());
  return told.promise;
}

/** Under Electron, whose program is no Node, a headless host has no worker processes. */
function plainNodeWorkers(clock: Clock): { workerPort?: WorkerPort } {
  return process.versions.electron ? {} : { workerPort: nodeWorkers(WORKER_ENTRY, clock) };
}
