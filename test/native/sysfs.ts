import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryFolder } from '../support/store.ts';

/** A tree of files under a folder of its own: path → content, each ended with a newline. */
export function tree(files: Record<string, string | number>): string {
  const root = temporaryFolder();
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), `${content}\n`);
  }
  return root;
}

/** A folder of power supplies as the kernel shows them: name → attribute → value. */
export function supplies(entries: Record<string, Record<string, string | number>>): string {
  const files = Object.entries(entries).flatMap(([name, attributes]) =>
    Object.entries(attributes).map(([file, value]) => [join(name, file), value] as const),
  );
  return tree(Object.fromEntries(files));
}
