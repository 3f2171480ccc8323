import { failure, ok, type Result } from '../../../base/errors.ts';
import { complaint, runGit } from './git.ts';

export interface ChangedFile {
  path: string;
  /** Lines; null for a file that is not text. */
  added: number | null;
  removed: number | null;
}

/** What lies between two commits. */
export interface Changes {
  /** At most MOST_FILES of them. */
  files: ChangedFile[];
  /** All of them, and their lines. */
  total: { files: number; added: number; removed: number };
  /** A unified diff; the beginning of it where it is long. */
  patch: string;
  patchCut: boolean;
}

const MOST_FILES = 500;
const MOST_PATCH_BYTES = 200_000;
const PLAIN = ['--no-color', '--no-ext-diff', '--no-textconv', '--no-renames'];

/** Reads the difference from `base` to `head` in the repository at `cwd`. */
export async function changesBetween(
  cwd: string,
  base: string,
  head: string,
): Promise<Result<Changes>> {
  const stat = await runGit(cwd, ['diff', '--numstat', '-z', ...PLAIN, base, head]);
  if (stat.code !== 0 || stat.cut) {
    return failure('failed', `the changes cannot be read: ${complaint(stat)}`);
  }
  const all = numstat(stat.stdout);
  const patch = await runGit(cwd, ['diff', ...PLAIN, base, head], { mostBytes: MOST_PATCH_BYTES });
  return ok({
    files: all.slice(0, MOST_FILES),
    total: {
      files: all.length,
      added: all.reduce((sum, file) => sum + (file.added ?? 0), 0),
      removed: all.reduce((sum, file) => sum + (file.removed ?? 0), 0),
    },
    patch: patch.cut ? patch.stdout.replace(/[^\n]*$/, '') : patch.stdout,
    patchCut: patch.cut,
  });
}

/** Reads `git diff --numstat -z`: added, removed and the path, tabs between, a zero byte after. */
export function numstat(text: string): ChangedFile[] {
  return text.split('\0').flatMap((entry) => {
    const found = /^(\d+|-)\t(\d+|-)\t(.+)$/s.exec(entry);
    if (!found) return [];
    const lines = (figure: string | undefined) => (figure === '-' ? null : Number(figure));
    return [{ path: found[3] as string, added: lines(found[1]), removed: lines(found[2]) }];
  });
}
