// Finds a Node that can run Lull (24 or newer): this one, or the copy that was installed with it.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

export const isNewEnough = Number(process.versions.node.split('.')[0]) >= 24;

/** Path of a Node executable, or undefined after saying on standard error what is missing. */
export function findNode() {
  if (isNewEnough) return process.execPath;
  const require = createRequire(import.meta.url);
  const os = process.platform === 'win32' ? 'win' : process.platform;
  const program = process.platform === 'win32' ? 'node.exe' : 'node';
  for (const name of [`node-${os}-${process.arch}`, `node-bin-${os}-${process.arch}`, 'node']) {
    try {
      const file = join(dirname(require.resolve(`${name}/package.json`)), 'bin', program);
      if (existsSync(file)) return file;
    } catch {
      // not installed
    }
  }
  console.error(
    `lull needs Node 24 or newer (this is ${process.version}) and found no copy of its own: install Node 24, or run npm ci again.`,
  );
  return undefined;
}
