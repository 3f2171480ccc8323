import { app, session } from 'electron';
import { PANEL_ORIGIN } from './panel-files.ts';

/** What the panel may ask of the browser: to put a text it shows on the clipboard. */
const GRANTED = 'clipboard-sanitized-write';

/**
 * Closes what a page might leave by, for every page there will ever be: no other address, no window,
 * no embedded content, no permission but one, no device. Call when the app is ready, before a window.
 */
export function guardPages(): void {
  app.on('web-contents-created', (_created, contents) => {
    contents.setWindowOpenHandler(() => ({ action: 'deny' }));
    contents.on('will-navigate', (event) => event.preventDefault());
    contents.on('will-frame-navigate', (event) => event.preventDefault());
    contents.on('will-redirect', (event) => event.preventDefault());
    contents.on('will-attach-webview', (event) => event.preventDefault());
  });
  const { defaultSession } = session;
  defaultSession.setPermissionRequestHandler((contents, permission, answer, details) => {
    answer(isGranted(permission, details.requestingUrl) && contents.getURL().startsWith(OURS));
  });
  defaultSession.setPermissionCheckHandler((_contents, permission, origin) =>
    isGranted(permission, origin),
  );
  defaultSession.setDevicePermissionHandler(() => false);
}

const OURS = `${PANEL_ORIGIN}/`;

function isGranted(permission: string, origin: string): boolean {
  return permission === GRANTED && (origin === PANEL_ORIGIN || origin.startsWith(OURS));
}
