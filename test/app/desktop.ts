import { existsSync, readFileSync } from 'node:fs';
import { inflateSync } from 'node:zlib';
import { onTestFinished } from 'vitest';
import { systemClock } from '../../main/base/clock.ts';
import { socketPath } from '../../main/base/host-file.ts';
import { connectHost } from '../../main/surfaces/socket/client.ts';
import { type Call, callOf, type TestHome } from '../support/host.ts';
import { type AppOptions, type RunningApp, startApp } from './drive.ts';

/** The app on a data folder of the test's, with the offline model and the test's facts. */
export async function desktop(
  home: TestHome,
  options: Omit<AppOptions, 'home'> = {},
): Promise<RunningApp> {
  const first = !existsSync(home.database);
  const args = ['--model', 'offline', '--facts', home.factsFile, ...(options.args ?? [])];
  const app = await startApp({ ...options, home: home.dir, args });
  onTestFinished(() => app.end());
  await app.until('tray', ({ toolTip }) => toolTip !== 'Lull is starting');
  if (first && !options.env?.STANDIN_NOTIFICATION) {
    // The first start shows the panel; it is put away, as by a click elsewhere.
    await app.until('windows', ([panel]) => panel?.visible === true && panel.url !== '');
    await app.ask('blur', {});
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
  return app;
}

/** Gives commands to the app's host as the command line does. */
export async function commandsOf(home: TestHome): Promise<Call> {
  const client = await connectHost(socketPath(home), systemClock());
  if (!client) throw new Error('the app has no socket');
  onTestFinished(() => client.close());
  return callOf(client.dispatch);
}

/** The alpha of each pixel of a square PNG, as draw.mjs writes it: 8-bit RGBA rows without a filter. */
export function alphaOf(path: string): { size: number; at(x: number, y: number): number } {
  const bytes = readFileSync(path);
  const size = bytes.readUInt32BE(16);
  const parts: Buffer[] = [];
  for (let at = 8; at < bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    const type = bytes.toString('latin1', at + 4, at + 8);
    if (type === 'IDAT') parts.push(bytes.subarray(at + 8, at + 8 + length));
    at += length + 12;
  }
  const rows = inflateSync(Buffer.concat(parts));
  return { size, at: (x, y) => rows[y * (size * 4 + 1) + 1 + x * 4 + 3] ?? -1 };
}

/** `14:05`, in the machine's zone. */
export function clockTime(at: number): string {
  const when = new Date(at);
  return [when.getHours(), when.getMinutes()]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
}
