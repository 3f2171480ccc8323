import { parseArgs } from 'node:util';
import { systemClock } from './base/clock.ts';
import type { Home } from './base/home.ts';
import { resolveHome } from './base/home.ts';
import { cliArguments, handOver } from './surfaces/electron/hand-over.ts';
import type { Host } from './surfaces/electron/host-port.ts';
import { startDesktop } from './surfaces/electron/start.ts';

/**
 * The entry of the desktop app; with `--cli` the same program is the `lull` command. It takes the
 * options of `lull start` that concern the host; Chromium's own are left alone. Nothing here may wait
 * for the app to be ready: it gets ready only after this module has ended.
 */
const cli = cliArguments(process.argv);
if (cli) {
  await handOver(cli, () => import('./cli.ts'));
} else {
  const { values } = parseArgs({
    args: process.argv.slice(1),
    options: {
      home: { type: 'string' },
      model: { type: 'string' },
      facts: { type: 'string' },
    },
    strict: false,
    allowPositionals: true,
  });
  const given = (value: string | boolean | undefined) =>
    typeof value === 'string' ? value : undefined;
  startDesktop({
    home: resolveHome(given(values.home)),
    clock: systemClock(),
    trayHost: async () => (await import('../native/index.ts')).hasTrayHost(),
    openHost: (home, onOpen) =>
      openDesktopHost(home, onOpen, given(values.model), given(values.facts)),
  });
}

/** The host with its socket, so that the command line reaches it. It opens no port. */
async function openDesktopHost(
  home: Home,
  onOpen: () => void,
  model?: string,
  facts?: string,
): Promise<Host> {
  const { openHost } = await import('./host.ts');
  const { keychain } = await import('./surfaces/electron/keychain.ts');
  const { utilityWorkers } = await import('./surfaces/electron/utility-workers.ts');
  const { serveSocket } = await import('./surfaces/socket/server.ts');
  const { WORKER_ENTRY } = await import('./worker-entry.ts');
  const host = await openHost({
    home,
    offline: model === 'offline',
    facts: facts ?? null,
    seal: keychain,
    workerPort: utilityWorkers(WORKER_ENTRY),
    offlineDelayMs: Number(process.env.LULL_OFFLINE_DELAY_MS ?? 0),
  });
  const { lock, hello, dispatch, subscribe, log, wake, hurry, stop } = host;
  try {
    const socket = await serveSocket(lock, {
      ...{ hello, dispatch, subscribe },
      panel() {
        onOpen();
        return null;
      },
    });
    return {
      ...{ hello, dispatch, subscribe, log, wake, hurry },
      async stop() {
        await socket.close();
        await stop();
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
