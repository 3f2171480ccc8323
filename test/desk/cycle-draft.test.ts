import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openStore, type Store } from '../../main/base/store/database.ts';
import type { Approval } from '../../main/desk/approve.ts';
import { cycleDraft, ranOn } from '../support/cycle-draft.ts';
import { deskOver, finishedJob, good } from '../support/desk.ts';
import { commitFiles, git, repositoryOf, stateOf, writeFiles } from '../support/git-repository.ts';
import { temporaryFolder, temporaryStore } from '../support/store.ts';

const FILES = { 'README.md': 'one\ntwo\n', 'other.txt': 'other\n' };
const WORK = { 'README.md': 'one\n2\n', 'new.txt': 'new\n' };

async function prepared(store?: Store) {
  const kept = store ?? (await temporaryStore());
  const repository = repositoryOf(FILES);
  const body = ranOn(repository, WORK);
  const over = deskOver(kept);
  const id = over.drafts.insert(cycleDraft(finishedJob(kept), body));
  const approve = () => endOf(good(over.desk.approve(id)));
  return { ...over, store: kept, repository, body, id, approve };
}

const endOf = async (approval: Approval) =>
  approval.outcome === 'underway' ? approval.end : approval;

describe('the draft of a cycle', () => {
  it('T6 shows what it changed, what was learned and what approving would do', async () => {
    const { desk, id, body } = await prepared();
    expect(good(desk.show(id))).toMatchObject({
      kind: 'cycle',
      subject: body.repository,
      changes: {
        repository: body.repository,
        target: 'main',
        files: body.changes.files,
        patch: expect.stringContaining('+2\n'),
      },
      text: expect.stringMatching(
        /^Completed\. Scheduler cycle.*learned\nThe docs were short\..*# Scheduler completed/s,
      ),
      effects: [`~ main of ${body.repository}  2 files, +2 −2 lines`],
      provenance: expect.stringMatching(/merges it into main; dismissing deletes its branch\.$/),
    });
  });

  it('T6 approving merges the branch, and however often it is asked it is done once', async () => {
    const { approve, drafts, id, repository, cycles } = await prepared();
    const answers = await Promise.all([approve(), approve(), approve()]);
    expect(answers).toEqual(Array(3).fill({ outcome: 'applied', files: [] }));
    expect(drafts.get(id)?.state).toBe('applied');
    expect(cycles.decided).toHaveLength(1);
    expect(readFileSync(join(repository, 'new.txt'), 'utf8')).toBe('new\n');
    const after = stateOf(repository);
    expect(await approve()).toEqual({ outcome: 'applied', files: [] });
    expect(stateOf(repository)).toEqual(after);
  });

  it('T6 a conflicting change fails it by name, leaves all as it was, and it can be tried again', async () => {
    const { approve, drafts, desk, id, repository, notices } = await prepared();
    const mine = commitFiles(repository, { 'README.md': 'one\nzwei\n' });
    const before = stateOf(repository);
    const answer = await approve();
    expect(answer).toMatchObject({ outcome: 'failed' });
    expect(answer).toHaveProperty('error', expect.stringContaining('with main: README.md;'));
    expect(stateOf(repository)).toEqual(before);
    expect(drafts.get(id)?.state).toBe('apply-failed');
    expect(notices.open()).toMatchObject([{ cause: `merge-failed:${id}`, draft: id }]);
    expect(await approve()).toEqual(answer);

    git(repository, 'reset', '--quiet', '--hard', `${mine}^`);
    expect(await approve()).toEqual({ outcome: 'applied', files: [] });
    expect(good(desk.show(id)).state).toBe('applied');
    expect(notices.open()).toEqual([]);
  });

  it('T6 while the owner has uncommitted changes it is refused with one line', async () => {
    const { approve, repository } = await prepared();
    writeFiles(repository, { 'other.txt': 'being written' });
    const before = stateOf(repository);
    expect(await approve()).toEqual({
      outcome: 'failed',
      error: 'there are uncommitted changes: other.txt; commit or stash them, then approve again',
    });
    expect(stateOf(repository)).toEqual(before);
  });

  it('T6 two drafts of one repository are merged one after the other', async () => {
    const first = await prepared();
    const { desk, drafts, store, repository } = first;
    const body = ranOn(repository, { 'other.txt': 'another agent\n' }, 'lull/test/2');
    const topic = 'another';
    const second = drafts.insert(cycleDraft(finishedJob(store), body, { topic }));
    const ends = [first.id, second].map((id) => endOf(good(desk.approve(id))));
    await desk.idle();
    expect(await Promise.all(ends)).toEqual(Array(2).fill({ outcome: 'applied', files: [] }));
    expect(git(repository, 'show', 'main:new.txt')).toBe('new');
    expect(git(repository, 'show', 'main:other.txt')).toBe('another agent');
  });

  it('T6 dismissing and taking it back are told to who keeps the branches', async () => {
    const { desk, id, cycles, body, approve } = await prepared();
    good(desk.dismiss(id));
    good(desk.dismiss(id));
    expect(cycles.decided).toHaveLength(2);
    expect(desk.approve(id)).toMatchObject({ ok: false, code: 'refused' });
    good(desk.restore(id));
    expect(cycles.restored).toEqual([body.branch]);
    expect(await approve()).toEqual({ outcome: 'applied', files: [] });
  });

  it('T6 a newer run of the same agent takes its place', async () => {
    const { desk, drafts, store, repository, id } = await prepared();
    const body = ranOn(repository, WORK, 'lull/test/2');
    const newer = drafts.insert(cycleDraft(finishedJob(store), body));
    expect(good(desk.show(id))).toMatchObject({ state: 'superseded', supersededBy: newer });
    expect(desk.approve(id)).toMatchObject({ ok: false });
  });
});

const SCRIPT = join(import.meta.dirname, '../support/approve-cycle.ts');

describe('a crash while a cycle is approved', () => {
  it.each(['cycle.approved', 'cycle.merged'])(
    'T6 killed at %s, the next start finishes it, and the branch is merged once',
    async (failpoint) => {
      const path = join(temporaryFolder(), 'lull.sqlite');
      const open = () => openStore(path, { backups: dirname(path), now: 0 });
      const first = await prepared(await open());
      commitFiles(first.repository, { 'other.txt': 'mine\n' });
      first.store.close();
      const killed = spawnSync(process.execPath, [SCRIPT, path, String(first.id)], {
        env: { ...process.env, LULL_FAILPOINT: failpoint },
        encoding: 'utf8',
      });
      expect(killed.signal).toBe('SIGKILL');

      const store = await open();
      const { desk, drafts } = deskOver(store);
      expect(drafts.get(first.id)?.state).toBe('approved');
      const [resumed] = desk.resumeApproved();
      expect(await endOf(resumed?.approval as Approval)).toEqual({ outcome: 'applied', files: [] });
      expect(drafts.get(first.id)?.state).toBe('applied');
      expect(git(first.repository, 'rev-list', '--count', '--merges', 'main')).toBe('1');
      expect(git(first.repository, 'status', '--porcelain')).toBe('');
      expect(desk.resumeApproved()).toEqual([]);
      store.close();
    },
  );
});
