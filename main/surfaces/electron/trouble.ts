import { app, dialog } from 'electron';
import type { Clock } from '../../base/clock.ts';
import { exitCodeOf, type Failure, toFailure } from '../../base/errors.ts';
import type { Home } from '../../base/home.ts';
import { readHostInfo, socketPath } from '../../base/host-file.ts';
import { openUrl } from '../open-url.ts';
import { connectHost } from '../socket/client.ts';
import { PANEL_LINK } from '../socket/frames.ts';

/** Says why the app cannot start, and ends it. A host that runs without the app can be looked at. */
export async function cannotStart(home: Home, clock: Clock, failure: Failure): Promise<void> {
  const { code, message, hint } = failure;
  console.error(`lull: ${[message, hint].filter(Boolean).join(' - ')}`);
  const running = code === 'host_running';
  const { response } = await dialog.showMessageBox({
    type: running ? 'info' : 'error',
    message: running ? 'Lull is running already, without this app' : 'Lull cannot start',
    detail: [message, running ? null : hint].filter(Boolean).join('\n'),
    buttons: running ? ['Open its panel', 'Quit'] : ['Quit'],
    defaultId: 0,
    cancelId: running ? 1 : 0,
  });
  if (running && response === 0) await openItsPanel(home, clock);
  app.exit(exitCodeOf(code));
}

/**
 * An error that nobody foresaw: what is stored is sound and what ran is lost, so the app says so and
 * ends, instead of going on in a state that nobody knows.
 */
export function fallWithWords(error: unknown): void {
  const { message } = toFailure(error);
  console.error(`lull: ${error instanceof Error ? error.stack : message}`);
  const kept = 'What it has stored is kept, and what ran is taken up again at the next start.';
  dialog.showErrorBox('Lull has stopped', `${message}\n\n${kept}`);
  app.exit(2);
}

async function openItsPanel(home: Home, clock: Clock): Promise<void> {
  try {
    const host = await connectHost(readHostInfo(home)?.socket ?? socketPath(home), clock);
    const reply = await host?.dispatch(PANEL_LINK, {});
    host?.close();
    if (reply?.ok) openUrl((reply.value as { url: string }).url);
  } catch {
    // It does not answer: there is nothing to open.
  }
}
