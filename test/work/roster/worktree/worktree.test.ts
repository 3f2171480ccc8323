import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { changesBetween, numstat } from '../../../../main/work/roster/worktree/changes.ts';
import { complaint, runGit } from '../../../../main/work/roster/worktree/git.ts';
import { keepWork } from '../../../../main/work/roster/worktree/keep.ts';
import { openRepository } from '../../../../main/work/roster/worktree/repository.ts';
import {
  makeWorktree,
  removeBranch,
  removeWorktree,
  restoreBranch,
} from '../../../../main/work/roster/worktree/worktree.ts';
import { good } from '../../../support/desk.ts';
import {
  commitFiles,
  git,
  repositoryOf,
  stateOf,
  writeFiles,
} from '../../../support/git-repository.ts';
import { temporaryFolder } from '../../../support/store.ts';

const FILES = { 'README.md': 'Hello\n', 'src/a.txt': 'one\ntwo\n', '.gitignore': 'dist/\n' };

async function treeOf(root: string, name = 'lull/test/1') {
  const tree = { root, path: join(temporaryFolder(), 'deep', 'tree'), branch: name };
  good(await makeWorktree(tree, git(root, 'rev-parse', 'HEAD')));
  return tree;
}

describe('openRepository', () => {
  it('T6 reads the root, the branch and the newest commit, from a folder inside too', async () => {
    const root = repositoryOf({ ...FILES, 'torch/x.txt': 'x' });
    expect(good(await openRepository(join(root, 'torch')))).toEqual({
      path: join(root, 'torch'),
      root,
      inside: 'torch',
      branch: 'main',
      head: git(root, 'rev-parse', 'HEAD'),
    });
  });

  it('T6 refuses what no run can begin from, in one line', async () => {
    const empty = temporaryFolder();
    git(empty, 'init', '--quiet');
    const detached = repositoryOf(FILES);
    git(detached, 'checkout', '--quiet', '--detach');
    const bare = temporaryFolder();
    git(bare, 'init', '--quiet', '--bare');
    const said = async (path: string) => {
      const opened = await openRepository(path);
      return opened.ok ? 'ok' : opened.message.split(': ')[0];
    };
    expect(await said(temporaryFolder())).toBe('no git repository');
    expect(await said(join(empty, 'nowhere'))).toBe('there is no such folder');
    expect(await said(empty)).toBe('the repository has no commit yet');
    expect(await said(detached)).toMatch(/^no branch is checked out in/);
    expect(await said(bare)).toBe('no git repository');
  });

  it('T6 is not led elsewhere by the variables of another git', async () => {
    const root = repositoryOf(FILES);
    const other = repositoryOf(FILES);
    vi.stubEnv('GIT_DIR', join(other, '.git'));
    try {
      expect(good(await openRepository(root)).root).toBe(root);
    } finally {
      vi.unstubAllEnvs();
    }
  });
});

describe('a worktree of one run', () => {
  it('T6 leaves the repository and its files alone, but for its own branch', async () => {
    const root = repositoryOf(FILES);
    writeFiles(root, { 'README.md': 'Being written\n', 'notes.txt': 'mine' });
    const before = stateOf(root);
    const tree = await treeOf(root);
    expect(readFileSync(join(tree.path, 'README.md'), 'utf8')).toBe('Hello\n');
    writeFileSync(join(tree.path, 'README.md'), 'By the agent\n');
    await removeWorktree(tree);
    expect(await removeBranch(tree)).toBe(true);
    expect(stateOf(root)).toEqual(before);
    expect(existsSync(tree.path)).toBe(false);
  });

  it('T6 is removed whatever a crash left of it, twice too, and with the repository gone', async () => {
    const root = repositoryOf(FILES);
    const locked = await treeOf(root, 'lull/test/1');
    git(root, 'worktree', 'lock', locked.path);
    const emptied = await treeOf(root, 'lull/test/2');
    rmSync(emptied.path, { recursive: true });
    const unknown = { root, path: join(temporaryFolder(), 'x'), branch: 'lull/test/3' };
    mkdirSync(unknown.path);
    const orphan = await treeOf(repositoryOf(FILES), 'lull/test/4');
    rmSync(orphan.root, { recursive: true });
    for (const tree of [locked, emptied, unknown, orphan, locked]) {
      await removeWorktree(tree);
      expect(await removeBranch(tree)).toBe(true);
      expect(existsSync(tree.path)).toBe(false);
    }
    expect(git(root, 'worktree', 'list').split('\n')).toHaveLength(1);
    expect(git(root, 'branch', '--list', 'lull/*')).toBe('');
  });

  it('T6 says why it cannot be made, and leaves nothing', async () => {
    const root = repositoryOf(FILES);
    git(root, 'branch', 'lull');
    const before = stateOf(root);
    const tree = { root, path: join(temporaryFolder(), 'tree'), branch: 'lull/test/1' };
    const made = await makeWorktree(tree, git(root, 'rev-parse', 'HEAD'));
    expect(made).toMatchObject({ ok: false, message: expect.stringContaining('refs/heads/lull') });
    expect(stateOf(root)).toEqual(before);
    expect(existsSync(tree.path)).toBe(false);
  });

  it('T6 runs no hook of the repository', async () => {
    const root = repositoryOf(FILES);
    const trace = join(temporaryFolder(), 'ran');
    for (const hook of ['post-checkout', 'pre-commit', 'commit-msg', 'post-commit']) {
      const file = join(root, '.git', 'hooks', hook);
      writeFileSync(file, `#!/bin/sh\necho ${hook} >> '${trace}'\nexit 1\n`, { mode: 0o755 });
    }
    const tree = await treeOf(root);
    writeFiles(tree.path, { 'new.txt': 'new' });
    good(await keepWork(tree, 'Keep'));
    expect(existsSync(trace)).toBe(false);
  });

  it('T6 keeps a branch that the owner has checked out', async () => {
    const root = repositoryOf(FILES);
    const tree = await treeOf(root);
    await removeWorktree(tree);
    git(root, 'switch', '--quiet', tree.branch);
    expect(await removeBranch(tree)).toBe(false);
    git(root, 'switch', '--quiet', 'main');
    expect(await removeBranch(tree)).toBe(true);
  });
});

describe('what a run leaves', () => {
  it('T6 commits what was left uncommitted, all but ignored files', async () => {
    const root = repositoryOf(FILES);
    const tree = await treeOf(root);
    writeFiles(tree.path, { 'src/a.txt': 'one\n2\n', 'ünï cödé.txt': 'new\n', 'dist/x': 'no' });
    rmSync(join(tree.path, 'README.md'));
    const base = git(root, 'rev-parse', 'HEAD');
    const head = good(await keepWork(tree, '--message with -- "quotes"\n\nand $(lines)'));
    expect(git(root, 'rev-parse', tree.branch)).toBe(head);
    expect(git(root, 'log', '-1', '--format=%B', head)).toContain('and $(lines)');
    const changes = good(await changesBetween(root, base, head));
    expect(changes.files).toEqual([
      { path: 'README.md', added: 0, removed: 1 },
      { path: 'src/a.txt', added: 1, removed: 1 },
      { path: 'ünï cödé.txt', added: 1, removed: 0 },
    ]);
    expect(changes.total).toEqual({ files: 3, added: 2, removed: 2 });
    expect(changes.patch).toContain('+2\n');
    expect(changes.patchCut).toBe(false);
  });

  it('T6 keeps the agent’s own commits, on whatever branch it made them', async () => {
    const root = repositoryOf(FILES);
    const tree = await treeOf(root);
    git(tree.path, 'switch', '--quiet', '--create', 'elsewhere');
    const own = commitFiles(tree.path, { 'b.txt': 'b' }, 'By the agent');
    writeFiles(tree.path, { 'c.txt': 'c' });
    const head = good(await keepWork(tree, 'Keep'));
    expect(git(root, 'rev-parse', `${tree.branch}^`)).toBe(own);
    expect(git(root, 'rev-parse', tree.branch)).toBe(head);
  });

  it('T6 makes no commit where nothing is left', async () => {
    const root = repositoryOf(FILES);
    const tree = await treeOf(root);
    expect(good(await keepWork(tree, 'Keep'))).toBe(git(root, 'rev-parse', 'main'));
  });

  it('T6 puts a deleted branch back while git has its commit', async () => {
    const root = repositoryOf(FILES);
    const tree = await treeOf(root);
    writeFiles(tree.path, { 'c.txt': 'c' });
    const head = good(await keepWork(tree, 'Keep'));
    await removeWorktree(tree);
    await removeBranch(tree);
    expect(await restoreBranch(tree, head)).toBe(true);
    expect(git(root, 'rev-parse', tree.branch)).toBe(head);
    expect(await restoreBranch({ root, branch: 'lull/x' }, 'f'.repeat(40))).toBe(false);
  });

  it('T6 shows the beginning of a diff that is too long, and files that are not text', async () => {
    const root = repositoryOf(FILES);
    const base = git(root, 'rev-parse', 'HEAD');
    writeFileSync(join(root, 'image.bin'), Buffer.from([0, 1, 2, 0, 255]));
    const head = commitFiles(root, { 'long.txt': 'a line of text\n'.repeat(100_000) });
    const changes = good(await changesBetween(root, base, head));
    expect(changes.files).toContainEqual({ path: 'image.bin', added: null, removed: null });
    expect(changes.patchCut).toBe(true);
    expect(changes.patch.length).toBeLessThanOrEqual(200_000);
    expect(changes.patch.endsWith('\n')).toBe(true);
  });

  it('T6 reads names with tabs and line ends', () => {
    expect(numstat('1\t0\ta\tb\nc\0-\t-\tx\0')).toEqual([
      { path: 'a\tb\nc', added: 1, removed: 0 },
      { path: 'x', added: null, removed: null },
    ]);
  });
});

describe('runGit', () => {
  it('T6 tells what went wrong in one line, and ends what takes too long', async () => {
    const root = repositoryOf(FILES);
    const failed = await runGit(root, ['show', 'nothing']);
    expect(failed.code).toBe(128);
    expect(complaint(failed)).toMatch(/^ambiguous argument 'nothing'/);
    git(root, 'config', 'alias.wait', '!sleep 60');
    const slow = await runGit(root, ['wait'], { limitMs: 300 });
    expect(complaint(slow)).toBe('git wait was ended after 0.3 s');
    expect((await runGit(join(root, 'nowhere'), ['status'])).code).toBe(127);
  });
});
