import { realpathSync } from 'node:fs';
import { relative } from 'node:path';
import { failure, ok, type Result } from '../../../base/errors.ts';
import { complaint, runGit } from './git.ts';

/** A folder of a git repository as a run begins from it. */
export interface Repository {
  /** The folder, absolute, links resolved. */
  path: string;
  /** The root of its working tree; `path` is this or below. */
  root: string;
  /** `path` as seen from the root; empty where they are the same. */
  inside: string;
  /** The branch that is checked out, without `refs/heads/`. */
  branch: string;
  /** Its newest commit. */
  head: string;
}

/** The oldest git that can merge without touching a working tree. */
const OLDEST_GIT = [2, 38] as const;

/** Reads what a run needs to know; refuses, in one line, what no run can begin from. */
export async function openRepository(folder: string): Promise<Result<Repository>> {
  let path: string;
  try {
    path = realpathSync.native(folder);
  } catch {
    return failure('invalid', `there is no such folder: ${folder}`);
  }
  const top = await runGit(path, ['rev-parse', '--show-toplevel']);
  if (top.code === 127) return failure('failed', complaint(top), 'install git');
  if (top.code !== 0) {
    const none = /not a git repository|must be run in a work tree/.test(top.stderr);
    return none
      ? failure('invalid', `no git repository: ${path}`, 'make it one, with a first commit')
      : failure('invalid', `git cannot read ${path}: ${complaint(top)}`);
  }
  const old = await tooOld();
  if (old) return failure('invalid', `git ${old} is too old`, 'install git 2.38 or newer');
  const root = realpathSync.native(top.stdout.replace(/\n$/, ''));
  const head = await runGit(path, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']);
  if (head.code !== 0) {
    return failure(
      'invalid',
      `the repository has no commit yet: ${path}`,
      'commit something first',
    );
  }
  const branch = await runGit(path, ['symbolic-ref', '--quiet', 'HEAD']);
  const name = /^refs\/heads\/(.+)\n$/.exec(branch.stdout)?.[1];
  if (name === undefined) {
    return failure('invalid', `no branch is checked out in ${path}`, 'switch to a branch first');
  }
  return ok({ path, root, inside: relative(root, path), branch: name, head: head.stdout.trim() });
}

/** The version, where it is older than we need. */
async function tooOld(): Promise<string | null> {
  const { stdout } = await runGit('/', ['version']);
  const found = /(\d+)\.(\d+)[\d.]*/.exec(stdout);
  if (!found) return null;
  const [major, minor] = [Number(found[1]), Number(found[2])];
  const [needMajor, needMinor] = OLDEST_GIT;
  const enough = major > needMajor || (major === needMajor && minor >= needMinor);
  return enough ? null : found[0];
}
