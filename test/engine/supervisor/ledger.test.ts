import { describe, expect, it } from 'vitest';
import { draftsTable } from '../../../main/base/store/drafts.ts';
import type { eventsTable } from '../../../main/base/store/events.ts';
import { noticesTable } from '../../../main/base/store/notices.ts';
import { runsTable } from '../../../main/base/store/runs.ts';
import { reportInterrupted } from '../../../main/desk/interrupted.ts';
import { notifier } from '../../../main/desk/notices.ts';
import { beginRun } from '../../../main/engine/supervisor/ledger.ts';
import { testQueue } from '../queue/test-queue.ts';

async function ledgerRoom() {
  const room = await testQueue();
  const { store, queue, clock } = room;
  const runs = runsTable(store.db);
  const drafts = draftsTable(store.db);
  const notices = noticesTable(store.db);
  let fault: Error | null = null;
  return {
    ...{ ...room, runs, drafts, notices },
    failReports(error: Error | null) {
      fault = error;
    },
    begin: () =>
      beginRun(
        {
          ...{ store, runs, queue, isIdempotent: (kind: string) => kind === 'vault_sync' },
          report(sweep, now) {
            if (fault) throw fault;
            reportInterrupted({ drafts, notices: notifier(notices), zone: 'UTC' }, sweep, now);
          },
        },
        { version: '1.0.0', pid: 42 },
        clock.now(),
      ),
  };
}

describe('S5 the ledger of runs', () => {
  it('S5 a first run and one after a clean end find nothing', async () => {
    const { begin, runs, clock, notices, drafts } = await ledgerRoom();
    expect(begin()).toMatchObject({ runId: 1, unclean: [] });
    runs.stopClean(1, clock.now());
    expect(begin()).toMatchObject({ runId: 2, unclean: [], sweep: { requeued: [], failed: [] } });
    expect([notices.open(10), drafts.list({ limit: 10 })]).toEqual([[], []]);
  });

  it('S5 an unclean end is found and closed, and each interrupted job is told of once', async () => {
    const room = await ledgerRoom();
    const { begin, add, take, queue, runs, drafts, notices, clock } = room;
    const { runId } = begin();
    const turn = add({ kind: 'brief', title: 'Morning brief' });
    const sync = add({ kind: 'vault_sync' });
    const task = add({ kind: 'task', title: 'Sum up' });
    const claims = [turn, sync, task].map(() => take({ runId }));
    const claimed = claims.find((claim) => claim.id === task.id);
    if (claimed) queue.saveCheckpoint(claimed, { step: 2 });
    await clock.advance(60_000);

    const begun = begin();
    expect(begun).toMatchObject({
      ...{ runId: 2, unclean: [1] },
      sweep: { failed: [{ id: turn.id }], requeued: [{ id: sync.id }, { id: task.id }] },
    });
    expect(runs.get(1)).toMatchObject({
      ...{ clean: false, stoppedAt: clock.now() },
      recovered: { by: 2, failed: [turn.id], requeued: [sync.id, task.id], cancelled: [] },
    });
    expect(queue.get(turn.id)).toMatchObject({
      ...{ state: 'failed', error: 'orphaned by unclean exit of run #1' },
    });
    expect(queue.get(task.id)).toMatchObject({ state: 'queued', checkpoint: { step: 2 } });
    expect(drafts.list({ limit: 10 })).toMatchObject([
      { job: turn.id, kind: 'report', title: 'Interrupted: Morning brief' },
    ]);
    expect(notices.open(10)).toMatchObject([{ count: 1 }]);

    runs.stopClean(2, clock.now());
    begin();
    expect(drafts.list({ limit: 10 })).toHaveLength(1);
    expect(notices.open(10)).toMatchObject([{ count: 1 }]);
  });

  it('S5 a job found running at three unclean ends is given up, with a notice', async () => {
    const { begin, add, take, queue, drafts, notices } = await ledgerRoom();
    const job = add({ kind: 'vault_sync' });
    for (let run = 1; run <= 3; run++) {
      const { runId } = begin();
      expect(queue.get(job.id)).toMatchObject({ state: 'queued', uncleanExits: run - 1 });
      take({ runId });
    }
    expect(begin().sweep).toMatchObject({ givenUp: [{ id: job.id }], requeued: [] });
    expect(queue.get(job.id)).toMatchObject({ state: 'failed', uncleanExits: 3 });
    expect(drafts.list({ limit: 10 })).toMatchObject([{ job: job.id, kind: 'report' }]);
    expect(
      notices
        .open(10)
        .map((notice) => notice.text)
        .join(),
    ).toContain('three unclean exits');
    expect(begin().sweep.givenUp).toEqual([]);
  });

  it('S5 a run whose sweep cannot be reported does not begin, and changes nothing', async () => {
    const room = await ledgerRoom();
    const { begin, add, take, queue, runs, store } = room;
    const { runId } = begin();
    const job = add();
    take({ runId });
    const before = dump(store.db);
    room.failReports(new Error('the reports cannot be stored'));
    expect(begin).toThrow('the reports cannot be stored');
    expect(dump(store.db)).toEqual(before);
    room.failReports(null);
    begin();
    expect(queue.get(job.id)?.state).toBe('failed');
    expect(runs.list(10)).toHaveLength(2);
  });

  it('S5 several runs that ended without a word are all closed', async () => {
    const { begin, runs, events } = await ledgerRoom();
    expect(events).toBeDefined();
    begin();
    begin();
    runs.start('0.9.0', 41, 5);
    expect(begin().unclean).toEqual([2, 3]);
    expect(runs.unstopped(9).map((run) => run.id)).toEqual([4]);
  });
});

function dump(db: Parameters<typeof eventsTable>[0]) {
  return ['jobs', 'runs', 'events', 'drafts'].map((table) =>
    db.prepare(`SELECT * FROM ${table}`).all(),
  );
}
