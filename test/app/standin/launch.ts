import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

/** What is to be run, as the command line of Electron says it. */
export interface Launch {
  packaged: boolean;
  /** The folder with package.json. */
  dir: string;
  /** The file of the main process. */
  entry: string;
  manifest: { name?: string; productName?: string; version?: string; main?: string };
  resources: string;
  /** What followed the app on the command line. */
  args: string[];
}

/**
 * Beside resources/app.asar this is a packaged app; plain Node cannot read an archive, so that one is
 * unpacked first. Otherwise the first argument that is no option names the app.
 */
export async function readLaunch(executable: string, args: string[]): Promise<Launch> {
  const resources = join(dirname(executable), 'resources');
  const archive = join(resources, 'app.asar');
  const packaged = existsSync(archive);
  const at = args.findIndex((arg) => !arg.startsWith('-'));
  const target = packaged ? await unpack(archive) : resolve(args[at] ?? '.');
  const dir = statSync(target).isDirectory() ? target : dirname(target);
  const file = join(dir, 'package.json');
  const manifest = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  return {
    packaged,
    dir,
    entry: dir === target ? join(dir, manifest.main ?? 'index.js') : target,
    manifest,
    resources,
    args,
  };
}

async function unpack(archive: string): Promise<string> {
  const { extractAll } = await import('@electron/asar');
  const dir = mkdtempSync(join(tmpdir(), 'standin-app-'));
  process.on('exit', () => rmSync(dir, { recursive: true, force: true }));
  extractAll(archive, dir);
  return dir;
}
