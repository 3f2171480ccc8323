import type { Clock } from '../../base/clock.ts';
import type { Config } from '../../base/config-schema.ts';
import type { Kind } from '../supervisor/handler.ts';
import type { Log } from '../supervisor/ports.ts';
import { leaving } from './leaving.ts';
import type { WorkerPort } from './port.ts';
import { runInWorker } from './run-in-worker.ts';

export interface Workers {
  /** The kind as it runs: where the configuration says so at its start, in a worker process. */
  around(kind: Kind): Kind;
  /** Ends what is left of them. */
  close(): Promise<void>;
}

/** Chooses for each run between the host's own process and one of its own. */
export function workers(parts: {
  /** Null where no worker process can be had: everything then runs in the host's process. */
  port: WorkerPort | null;
  clock: Clock;
  config: () => Config;
  log: Log;
  /** The data folder. */
  home: string;
}): Workers {
  const { port, clock, config, log, home } = parts;
  const left = leaving(clock);
  return {
    around: (kind) => ({
      ...kind,
      run(context) {
        const { workers: limits, models } = config();
        if (limits.mode[kind.name] !== 'worker') return kind.run(context);
        if (!port) {
          log.warn({ kind: kind.name }, 'no worker process can be had here: it runs in the host');
          return kind.run(context);
        }
        const servers = models.servers.flatMap(({ url }) => addressOf(url));
        const own = { port, clock, log, leaving: left, limits, servers, home };
        return runInWorker(own, kind, context);
      },
    }),
    close: left.close,
  };
}

/** `host:port` of a server's base address. */
function addressOf(url: string | undefined): string[] {
  if (url === undefined) return [];
  const { hostname, port, protocol } = new URL(url);
  return [`${hostname.replace(/^\[|\]$/g, '')}:${port || (protocol === 'https:' ? 443 : 80)}`];
}
