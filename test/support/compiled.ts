import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');

/** Where Node keeps what it compiled, so that the many programs of the suites start sooner. */
export const COMPILE_CACHE = join(ROOT, 'node_modules', '.cache', 'lull-compiled');

const LOAD = ['surfaces/cli/run', 'headless', 'one-command']
  .map((name) => `await import('./main/${name}.ts');`)
  .join(' ');

/**
 * Loads the program once beside the first tests. A host that a test kills keeps nothing, so without
 * this what changed would be compiled again for each of them.
 */
export default function setup(): () => Promise<void> {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', LOAD], {
    cwd: ROOT,
    stdio: 'ignore',
    env: { ...process.env, NODE_COMPILE_CACHE: COMPILE_CACHE },
  });
  const ended = once(child, 'exit');
  return async () => void (await ended);
}

/** For a command of its own: this process and all it starts. */
export function keepCompiled(): void {
  process.env.NODE_COMPILE_CACHE ??= COMPILE_CACHE;
}

/** The little that a process needs which gets an environment of its own: its programs, and the above. */
export const BARE_ENV = { PATH: process.env.PATH, NODE_COMPILE_CACHE: COMPILE_CACHE } as const;
