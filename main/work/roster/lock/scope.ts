import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

/**
 * What tells one repository on this machine from another: its git folder, which all its worktrees share,
 * and the place of `root` in it; without git, the folder itself.
 */
export function repositoryScope(root: string): string {
  const start = real(root);
  for (let dir = start; ; dir = dirname(dir)) {
    const git = join(dir, '.git');
    if (existsSync(git)) {
      const within = relative(dir, start);
      return within ? `${commonFolder(git)}#${within}` : commonFolder(git);
    }
    if (dir === dirname(dir)) return start;
  }
}

/** A worktree's `.git` is a file that names its own folder, and that one names the common folder. */
function commonFolder(git: string): string {
  try {
    if (statSync(git).isDirectory()) return real(git);
    const named = /^gitdir: (.*)$/m.exec(readFileSync(git, 'utf8'))?.[1] ?? '';
    const own = resolve(dirname(git), named.trim());
    const common = readFileSync(join(own, 'commondir'), 'utf8').trim();
    return real(resolve(own, common));
  } catch {
    return real(git);
  }
}

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
