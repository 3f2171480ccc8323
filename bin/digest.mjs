// Tells whether sources changed since they were built. Plain JavaScript for Node 18+.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A digest of folders and files below `root`: the same as long as nothing in them changed. */
export function digestOf(root, folders, files) {
  const hash = createHash('sha256');
  const visit = (dir) => {
    for (const entry of readdirSync(dir, { withFileTypes: true }).sort((a, b) =>
      a.name < b.name ? -1 : 1,
    )) {
      const path = join(dir, entry.name);
      if (entry.isDirectory()) visit(path);
      else hash.update(path.slice(root.length)).update(readFileSync(path));
    }
  };
  for (const folder of folders) visit(join(root, folder));
  for (const name of files) hash.update(readFileSync(join(root, name)));
  return hash.digest('hex');
}
