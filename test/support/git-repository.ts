import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryFolder } from './store.ts';

/** Git for tests: the owner's own settings have no say. */
export function git(cwd: string, ...args: string[]): string {
  return execFileSync('git', args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      HOME: cwd,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_AUTHOR_NAME: 'Owner',
      GIT_AUTHOR_EMAIL: 'owner@example.org',
      GIT_COMMITTER_NAME: 'Owner',
      GIT_COMMITTER_EMAIL: 'owner@example.org',
    },
  }).trim();
}

/** A repository on the branch `main` with one commit of these files, gone after the test. */
export function repositoryOf(files: Record<string, string>, folder = temporaryFolder()): string {
  mkdirSync(folder, { recursive: true });
  git(folder, 'init', '--quiet', '--initial-branch', 'main');
  commitFiles(folder, files, 'Begin');
  return folder;
}

/** Writes files and commits all there is. */
export function commitFiles(
  repository: string,
  files: Record<string, string>,
  message = 'Change',
): string {
  writeFiles(repository, files);
  git(repository, 'add', '--all');
  git(repository, 'commit', '--quiet', '--allow-empty', '--message', message);
  return git(repository, 'rev-parse', 'HEAD');
}

export function writeFiles(folder: string, files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

/** Everything of a repository that a refused change must leave alone. */
export function stateOf(repository: string): Record<string, string> {
  return {
    refs: git(repository, 'for-each-ref', '--format=%(refname) %(objectname)'),
    head: git(repository, 'symbolic-ref', 'HEAD'),
    status: git(repository, 'status', '--porcelain=v1', '--ignored'),
    index: git(repository, 'ls-files', '--stage'),
    worktrees: git(repository, 'worktree', 'list', '--porcelain'),
    diff: git(repository, 'diff', 'HEAD'),
  };
}
