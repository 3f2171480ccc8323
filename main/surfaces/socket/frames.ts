/** One frame is one line of JSON; a frame on the socket may be this many bytes at most. */
export const LARGEST_FRAME = 16 * 1024 * 1024;

/** Asks a running host itself, beside the commands of the contract, to begin with its pushes. */
export const SUBSCRIBE = 'subscribe';
/** Asks a running host for `{ url }`: a link that opens the panel once. */
export const PANEL_LINK = 'panel.link';
