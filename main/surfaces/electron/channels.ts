/** The names under which the page and the main process speak; the preload script is bundled with them. */
export const CALL = 'lull:call';
export const FOLLOW = 'lull:follow';
export const MESSAGE = 'lull:message';
