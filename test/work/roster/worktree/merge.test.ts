import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { mergeInto } from '../../../../main/work/roster/worktree/merge.ts';
import { good } from '../../../support/desk.ts';
import {
  commitFiles,
  git,
  repositoryOf,
  stateOf,
  writeFiles,
} from '../../../support/git-repository.ts';

/** A repository, and one commit beside `main` that changes README.md and adds a file. */
function branched() {
  const root = repositoryOf({ 'README.md': 'one\ntwo\nthree\n', 'other.txt': 'other\n' });
  git(root, 'switch', '--quiet', '--create', 'work');
  const commit = commitFiles(root, { 'README.md': 'one\n2\nthree\n', 'new.txt': 'new\n' }, 'Work');
  git(root, 'switch', '--quiet', 'main');
  return { root, commit, order: { root, target: 'main', commit, message: 'Take the work in' } };
}

describe('mergeInto', () => {
  it('T6 moves an unchanged branch forward, with its files', async () => {
    const { root, commit, order } = branched();
    expect(good(await mergeInto(order))).toEqual({ commit, how: 'fast-forward' });
    expect(git(root, 'rev-parse', 'main')).toBe(commit);
    expect(readFileSync(join(root, 'README.md'), 'utf8')).toBe('one\n2\nthree\n');
    expect(git(root, 'status', '--porcelain')).toBe('');
  });

  it('T6 makes a merge commit where the branch has moved on', async () => {
    const { root, commit, order } = branched();
    const mine = commitFiles(root, { 'other.txt': 'mine\n' });
    const merged = good(await mergeInto(order));
    expect(merged.how).toBe('merge');
    expect(git(root, 'rev-parse', 'main^1', 'main^2').split('\n')).toEqual([mine, commit]);
    expect(git(root, 'log', '-1', '--format=%s')).toBe('Take the work in');
    expect(readFileSync(join(root, 'new.txt'), 'utf8')).toBe('new\n');
    expect(git(root, 'status', '--porcelain')).toBe('');
  });

  it('T6 finds it done the second time', async () => {
    const { root, order } = branched();
    commitFiles(root, { 'other.txt': 'mine\n' });
    const first = good(await mergeInto(order));
    const after = stateOf(root);
    expect(good(await mergeInto(order))).toEqual({ commit: first.commit, how: 'already' });
    expect(stateOf(root)).toEqual(after);
  });

  it('T6 names the files of a conflict, and leaves the repository exactly as it was', async () => {
    const { root, order } = branched();
    commitFiles(root, { 'README.md': 'one\nzwei\nthree\n', 'new.txt': 'also new\n' });
    const before = stateOf(root);
    expect(await mergeInto(order)).toMatchObject({
      ok: false,
      code: 'refused',
      message: 'it conflicts with main: README.md, new.txt',
    });
    expect(stateOf(root)).toEqual(before);
  });

  it('T6 refuses while the owner has uncommitted changes, and can be asked again', async () => {
    const { root, order } = branched();
    writeFiles(root, { 'other.txt': 'being written' });
    const before = stateOf(root);
    expect(await mergeInto(order)).toMatchObject({
      ok: false,
      message: 'there are uncommitted changes: other.txt',
    });
    expect(stateOf(root)).toEqual(before);
    git(root, 'checkout', '--', 'other.txt');
    expect(good(await mergeInto(order)).how).toBe('fast-forward');
  });

  it('T6 writes over no file that git does not know', async () => {
    const { root, order } = branched();
    writeFileSync(join(root, 'new.txt'), 'precious');
    const before = stateOf(root);
    expect(await mergeInto(order)).toMatchObject({
      ok: false,
      message: 'files that git does not know are in the way: new.txt',
    });
    expect(stateOf(root)).toEqual(before);
    expect(readFileSync(join(root, 'new.txt'), 'utf8')).toBe('precious');
  });

  it('T6 lets other unknown files be', async () => {
    const { root, order } = branched();
    writeFileSync(join(root, 'scratch.txt'), 'mine');
    expect(good(await mergeInto(order)).how).toBe('fast-forward');
  });

  it('T6 moves a branch that is not checked out without touching a file', async () => {
    const { root, order } = branched();
    commitFiles(root, { 'other.txt': 'mine\n' });
    git(root, 'switch', '--quiet', '--create', 'feature');
    writeFiles(root, { 'README.md': 'being written' });
    expect(good(await mergeInto(order)).how).toBe('merge');
    expect(git(root, 'show', 'main:new.txt')).toBe('new');
    expect(readFileSync(join(root, 'README.md'), 'utf8')).toBe('being written');
  });

  it('T6 finds the working tree that has the branch, wherever it is', async () => {
    const { root, order } = branched();
    const elsewhere = `${root}/../${root.split('/').at(-1)}-2`;
    git(root, 'switch', '--quiet', '--create', 'feature');
    git(root, 'worktree', 'add', '--quiet', elsewhere, 'main');
    expect(good(await mergeInto(order)).how).toBe('fast-forward');
    expect(readFileSync(join(elsewhere, 'new.txt'), 'utf8')).toBe('new\n');
    git(root, 'worktree', 'remove', '--force', elsewhere);
  });

  it('T6 moves no branch in the middle of a rebase', async () => {
    const { root, order } = branched();
    commitFiles(root, { 'other.txt': 'mine\n' });
    git(root, 'switch', '--quiet', '--create', 'theirs', 'main^');
    commitFiles(root, { 'other.txt': 'theirs\n' });
    git(root, 'switch', '--quiet', 'main');
    expect(() => git(root, 'rebase', 'theirs')).toThrow();
    const before = git(root, 'rev-parse', 'main');
    expect(await mergeInto(order)).toMatchObject({ ok: false, code: 'refused' });
    expect(git(root, 'rev-parse', 'main')).toBe(before);
  });

  it('T6 says when the commit, the branch or the repository is gone', async () => {
    const { root, order } = branched();
    const said = async (over: Partial<typeof order>) => {
      const merged = await mergeInto({ ...order, ...over });
      return merged.ok ? 'ok' : merged.message;
    };
    expect(await said({ commit: 'f'.repeat(40) })).toBe(
      'the run’s commit ffffffffff is no longer in the repository'.replace('’', "'"),
    );
    expect(await said({ target: 'gone' })).toBe('the branch gone is no longer there');
    expect(await said({ root: `${root}/gone` })).toMatch(/^the repository cannot be reached/);
  });
});
