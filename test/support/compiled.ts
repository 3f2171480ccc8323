import { join } from 'node:path';
import { makeBuilt } from './built.ts';

const ROOT = join(import.meta.dirname, '..', '..');

/** Where Node keeps what it compiled, so that the many programs of the suites start sooner. */
export const COMPILE_CACHE = join(ROOT, 'node_modules', '.cache', 'lull-compiled');

/** Before the first test. */
export default makeBuilt;

/** For a command of its own: this process and all it starts. */
export async function keepCompiled(): Promise<void> {
  process.env.NODE_COMPILE_CACHE ??= COMPILE_CACHE;
  await makeBuilt();
}

/** The little that a process needs which gets an environment of its own: its programs, and the above. */
export const BARE_ENV = { PATH: process.env.PATH, NODE_COMPILE_CACHE: COMPILE_CACHE } as const;
