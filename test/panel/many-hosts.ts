import { resolveHome } from '../../main/base/home.ts';
import { startHost } from '../../main/headless.ts';

/** What the parent of this program asks for; a host is known by its data folder. */
export type Asked =
  | { stop: string }
  | { start: string; facts: string; offline: boolean; ports: string };

/** That a host has ended, and what it failed of. */
export interface Ended {
  ended: string;
  fault: string | null;
}

/**
 * The program behind the panels of many tests: each gets a host of its own over a folder of its own,
 * and Lull is loaded once for all of them.
 */
const stops = new Map<string, () => void>();

async function serve(asked: Extract<Asked, { start: string }>): Promise<void> {
  const { start: dir, facts, offline, ports } = asked;
  process.env.LULL_MODEL_PORTS = ports;
  const stopped = Promise.withResolvers<void>();
  stops.set(dir, stopped.resolve);
  let fault: string | null = null;
  try {
    const options = { home: resolveHome(dir), port: null, open: false, offline, facts };
    await startHost(options, stopped.promise);
  } catch (error) {
    fault = String(error);
  }
  process.send?.({ ended: dir, fault } satisfies Ended);
}

process.on('message', (asked: Asked) => {
  if ('stop' in asked) stops.get(asked.stop)?.();
  else void serve(asked);
});
