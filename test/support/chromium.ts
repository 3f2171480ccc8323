import { program } from './needs.ts';

/**
 * Debian's Chromium, without its windows where that is installed: pages are the same, at half the
 * processor's time. Null where there is none, and then the suites of the panel are left out.
 */
export const CHROMIUM = program('chromium-headless-shell') ?? program('chromium');

/** Without the browser talking to its maker. */
export const QUIET = [
  ...['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  ...['--disable-component-update', '--disable-sync'],
];
