import { describe, expect, it } from 'vitest';
import { DRAFT_STATES, type DraftState, draftsTable } from '../../main/base/store/drafts.ts';
import { transcriptsTable } from '../../main/base/store/transcripts.ts';
import { finishedJob, MORNING, orderDraft, VANILLA } from '../support/desk.ts';
import { temporaryStore } from '../support/store.ts';

const EDGES: ReadonlyArray<readonly [DraftState, DraftState]> = [
  ['pending', 'approved'],
  ['pending', 'dismissed'],
  ['pending', 'superseded'],
  ['approved', 'applied'],
  ['approved', 'apply-failed'],
  ['apply-failed', 'approved'],
  ['apply-failed', 'dismissed'],
  ['dismissed', 'pending'],
];

/** How a pending draft comes into each state, by edges of the table alone. */
const ROUTE: Record<DraftState, DraftState[]> = {
  pending: [],
  approved: ['approved'],
  applied: ['approved', 'applied'],
  'apply-failed': ['approved', 'apply-failed'],
  dismissed: ['dismissed'],
  superseded: ['superseded'],
};

describe('the table of drafts', () => {
  it('D4 the database allows exactly the edges of the closed table', async () => {
    const store = await temporaryStore();
    const drafts = draftsTable(store.db);
    const job = finishedJob(store);
    let ordinal = 0;
    const move = store.db.prepare(`UPDATE drafts SET state = @to,
      decided_at = iif(@to = 'pending', NULL, 1), applied_at = iif(@to = 'applied', 1, NULL),
      error = iif(@to = 'apply-failed', 'e', NULL) WHERE id = @id`);
    for (const from of DRAFT_STATES) {
      for (const to of DRAFT_STATES) {
        if (from === to) continue;
        const id = drafts.insert(orderDraft(job, [VANILLA], { ordinal: ordinal++ }));
        for (const state of ROUTE[from]) move.run({ id, to: state });
        const allowed = EDGES.some(([a, b]) => a === from && b === to);
        const change = () => move.run({ id, to });
        if (allowed) expect(change, `${from} → ${to}`).not.toThrow();
        else expect(change, `${from} → ${to}`).toThrow(/not allowed/);
      }
    }
  });

  it('D4 what a draft says never changes, and one job leaves one draft a number', async () => {
    const store = await temporaryStore();
    const drafts = draftsTable(store.db);
    const job = finishedJob(store);
    const id = drafts.insert(orderDraft(job));
    expect(() => drafts.insert(orderDraft(job))).toThrow(/UNIQUE/);
    expect(drafts.insert(orderDraft(job, [VANILLA], { ordinal: 1 }))).toBe(id + 1);
    for (const change of ["title = 'x'", "body = '{}'", 'total_cents = 1']) {
      expect(() => store.db.exec(`UPDATE drafts SET ${change}`)).toThrow(/never changes/);
    }
  });

  it('D4 superseding and inserting are one: a refused draft supersedes nothing', async () => {
    const store = await temporaryStore();
    const drafts = draftsTable(store.db);
    const job = finishedJob(store);
    const id = drafts.insert(orderDraft(job, [VANILLA], { topic: 't' }));
    expect(() => drafts.insert(orderDraft(job, [VANILLA], { topic: 't' }))).toThrow(/UNIQUE/);
    expect(drafts.get(id)).toMatchObject({ state: 'pending', supersededBy: null });
  });

  it('D4 counts every state, also those without a draft', async () => {
    const store = await temporaryStore();
    const drafts = draftsTable(store.db);
    const job = finishedJob(store);
    for (let ordinal = 0; ordinal < 3; ordinal++) {
      drafts.insert(orderDraft(job, [VANILLA], { ordinal }));
    }
    drafts.dismiss(1, MORNING);
    expect(drafts.counts()).toEqual({
      pending: 2,
      approved: 0,
      applied: 0,
      'apply-failed': 0,
      dismissed: 1,
      superseded: 0,
    });
  });
});

describe('the table of transcripts', () => {
  it('A3 keeps the messages raw, and gives those of the last claim', async () => {
    const store = await temporaryStore();
    const table = transcriptsTable(store.db);
    const job = finishedJob(store);
    const transcript = {
      job,
      claimNo: 1,
      at: MORNING,
      status: 'turn-limit',
      model: 'offline',
      messages: [{ role: 'user', content: '\u202eraw \u0000' }],
      usage: { promptTokens: 1, outputTokens: 2, turns: 3, millis: 4 },
    };
    expect(table.get(job)).toBeNull();
    table.insert(transcript);
    table.insert({ ...transcript, claimNo: 2, status: 'completed' });
    expect(table.get(job)).toEqual({ ...transcript, claimNo: 2, status: 'completed' });
    expect(() => store.db.exec("UPDATE transcripts SET status = ''")).toThrow(/kept as they were/);
  });

  it('A1 a session remembers its last twenty turns, cut to size, the oldest first', async () => {
    const store = await temporaryStore();
    const table = transcriptsTable(store.db);
    const turn = { session: 'shop', prompt: 'p', result: 'r', at: MORNING };
    for (let job = 1; job <= 25; job++) table.remember({ ...turn, job });
    table.remember({ ...turn, session: 'other', job: 26 });
    expect(table.sessionHistory('shop', 4).map(({ job }) => job)).toEqual([22, 23, 24, 25]);
    expect(table.sessionHistory('shop', 100).map(({ job }) => job)).toEqual(
      Array.from({ length: 20 }, (_, i) => i + 6),
    );
    expect(table.sessionHistory('other', 4)).toHaveLength(1);
  });

  it('A1 a prompt is cut at 512 and a result at 2,048 characters, and no character is split', async () => {
    const store = await temporaryStore();
    const table = transcriptsTable(store.db);
    const text = '🍦'.repeat(3000);
    table.remember({ session: 'shop', job: 1, prompt: text, result: text, at: MORNING });
    const [kept] = table.sessionHistory('shop', 1);
    expect(kept?.prompt).toBe('🍦'.repeat(512));
    expect(kept?.result).toBe('🍦'.repeat(2048));
  });
});
