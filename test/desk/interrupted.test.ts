import { describe, expect, it } from 'vitest';
import { draftsTable } from '../../main/base/store/drafts.ts';
import { noticesTable } from '../../main/base/store/notices.ts';
import { reportInterrupted } from '../../main/desk/interrupted.ts';
import { notifier } from '../../main/desk/notices.ts';
import { deskOver, finishedJob, good, MORNING, textDraft } from '../support/desk.ts';
import { temporaryStore } from '../support/store.ts';
import { aJob } from './a-job.ts';

async function set() {
  const store = await temporaryStore();
  const drafts = draftsTable(store.db);
  const notices = noticesTable(store.db);
  const parts = { drafts, notices: notifier(notices), zone: 'UTC' };
  const orphan = (over = {}) =>
    aJob({
      id: finishedJob(store),
      state: 'failed',
      error: 'orphaned by unclean exit of run #3',
      claimedByRun: 3,
      startedAt: MORNING,
      uncleanExits: 1,
      ...over,
    });
  return { store, drafts, notices, parts, orphan };
}

describe('runs that ended uncleanly', () => {
  it('Q6 each job that is not started again leaves a report draft that can run it again', async () => {
    const { store, parts, drafts, orphan } = await set();
    const job = orphan({ title: 'Morning brief' });
    const [id = 0] = store.tx(() =>
      reportInterrupted(parts, { failed: [job], givenUp: [], requeued: [] }, MORNING),
    );
    expect(drafts.get(id)).toMatchObject({
      job: job.id,
      kind: 'report',
      state: 'pending',
      title: 'Interrupted: Morning brief',
      body: { runAgain: job.id },
    });
    const shown = good(deskOver(store).desk.show(id));
    expect(shown.text).toContain(
      'Run 3 of Lull ended uncleanly while it was working on "Morning brief", begun 3 Dec 07:00.',
    );
    expect(shown.text).toContain('orphaned by unclean exit of run #3');
    expect(shown.effects).toEqual([`+ a new job with the work of job ${job.id}`]);
    expect(shown.provenance).toBe(
      'Written by Lull from its own records. Approving starts the work again.',
    );
  });

  it('S5 one notice tells of them all, and opens the draft where there is one', async () => {
    const { parts, notices, orphan } = await set();
    const [id] = reportInterrupted(
      parts,
      { failed: [orphan()], givenUp: [], requeued: [aJob(), aJob()] },
      MORNING,
    );
    expect(notices.open()).toMatchObject([
      {
        cause: 'interrupted',
        draft: id,
        text: 'Lull ended without warning in run 3: 1 job stopped half-way and can be run again from its draft; 2 jobs queued again.',
      },
    ]);
  });

  it('Q6 a job given up after three unclean exits has a notice of its own', async () => {
    const { parts, notices, drafts, orphan } = await set();
    const job = orphan({ uncleanExits: 3, title: 'Dream' });
    const [id = 0] = reportInterrupted(
      parts,
      { failed: [], givenUp: [job], requeued: [] },
      MORNING,
    );
    expect(notices.open()).toMatchObject([{ cause: `given-up:${job.id}`, draft: id }]);
    expect(JSON.stringify(drafts.get(id)?.body)).toContain('running at 3 unclean exits');
  });

  it('Q6 a job that has left drafts already gets its report beside them', async () => {
    const { parts, drafts, orphan } = await set();
    const job = orphan({ checkpoint: { step: 2 } });
    drafts.insert(textDraft(job.id, 'the first cluster'));
    const [id = 0] = reportInterrupted(
      parts,
      { failed: [job], givenUp: [], requeued: [] },
      MORNING,
    );
    expect(drafts.get(id)).toMatchObject({ ordinal: 1, state: 'pending' });
    expect(drafts.ofJob(job.id)).toHaveLength(2);
  });

  it('S5 a clean start tells nothing', async () => {
    const { parts, notices } = await set();
    const none = { failed: [], givenUp: [], requeued: [] };
    expect(reportInterrupted(parts, none, MORNING)).toEqual([]);
    expect(notices.open()).toEqual([]);
  });
});
