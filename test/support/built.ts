import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';
import { buildPanel } from '../../bin/build.mjs';
import { digestOf } from '../../bin/digest.mjs';

const ROOT = join(import.meta.dirname, '..', '..');
/** One level below the root, as main/ is: so resources/ and dist/ are found. */
const BUILT = join(ROOT, '.built');
const STAMP = join(BUILT, '.sources');

/**
 * The command line and the headless host as one program, for the suites that start many: loading the
 * sources takes more of the processor's time than what most of those programs do.
 */
export const CLI = join(BUILT, 'cli.js');

/** Makes that program, and the panel that its host serves, where their sources have changed. */
export async function makeBuilt(): Promise<void> {
  if (buildPanel() !== 0) throw new Error('the panel could not be built');
  const sources = digestOf(ROOT, ['main', 'native'], ['package-lock.json']);
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === sources) return;
  const next = `${BUILT}-${process.pid}`;
  mkdirSync(next, { recursive: true });
  await build({
    ...{ configFile: false, root: ROOT, logLevel: 'error', publicDir: false },
    // node-notifier finds its programs from where it lies.
    ssr: { noExternal: true, external: ['better-sqlite3', 'koffi', 'electron', 'node-notifier'] },
    build: {
      ...{ ssr: true, outDir: next, target: 'node24', minify: false, emptyOutDir: true },
      rolldownOptions: {
        input: { cli: 'main/cli.ts', worker: 'main/worker.ts' },
        output: { entryFileNames: '[name].js', chunkFileNames: 'part-[hash].js' },
      },
    },
  });
  writeFileSync(join(next, '.sources'), sources);
  rmSync(BUILT, { recursive: true, force: true });
  renameSync(next, BUILT);
}
