import { PANEL_ORIGIN } from './panel-files.ts';

/** Who sends a message, as Electron tells it. */
export interface Sender {
  sender: { mainFrame: unknown };
  senderFrame: { url: string } | null;
}

/**
 * Whether a message comes from the panel itself: the main frame of a page at our own address. A frame
 * that went away in the meantime is null.
 */
export function isFromPanel({ sender, senderFrame }: Sender): boolean {
  return (
    senderFrame !== null &&
    senderFrame === sender.mainFrame &&
    senderFrame.url.startsWith(`${PANEL_ORIGIN}/`)
  );
}
