import { describe, expect, it } from 'vitest';
import { noticesTable } from '../../main/base/store/notices.ts';
import { type Cause, causeKey, causeText, notifier } from '../../main/desk/notices.ts';
import { MORNING } from '../support/desk.ts';
import { temporaryStore } from '../support/store.ts';

/** One of each; a kind that is missing here does not compile. */
const CAUSES: { [K in Cause['kind']]: Extract<Cause, { kind: K }> } = {
  'disk-full': { kind: 'disk-full', what: 'a draft is held' },
  'server-unreachable': { kind: 'server-unreachable', server: 'here', message: 'refused' },
  'server-denies': { kind: 'server-denies', server: 'routine', message: 'it asks for a key' },
  interrupted: { kind: 'interrupted', run: 3, reported: 1, requeued: 0 },
  'given-up': { kind: 'given-up', job: 4, title: 'Dream' },
  'config-broken': { kind: 'config-broken', message: 'config.json is not valid JSON' },
  'order-failed': { kind: 'order-failed', draft: 7, message: 'the disk is full' },
  'cadence-problem': { kind: 'cadence-problem', message: 'Daily cycle of x: 61 is no minute' },
  'merge-failed': { kind: 'merge-failed', draft: 8, message: 'it conflicts with main: a.txt' },
  'job-failed': { kind: 'job-failed', title: 'Brief', message: 'the model gave no answer' },
  'result-held': { kind: 'result-held', message: 'the disk is full' },
  'import-problems': { kind: 'import-problems', file: 'stock.csv', skipped: 2 },
  'condition-problem': { kind: 'condition-problem', condition: 'v', message: 'no such product' },
  restored: { kind: 'restored', text: 'The database was gone: Lull has begun empty.' },
  'changes-lost': { kind: 'changes-lost', log: '/home/lull/set-aside/lull-1.sqlite-wal' },
  'backup-failing': { kind: 'backup-failing', message: 'the disk is full' },
  digest: { kind: 'digest', text: 'While you were away: 1 job ran for 2 min.' },
};

describe('notices', () => {
  it('D3 every cause has an identity of its own and one plain line', () => {
    const causes = Object.values(CAUSES);
    expect(new Set(causes.map(causeKey)).size).toBe(causes.length);
    for (const cause of causes) {
      expect(causeText(cause)).toMatch(/^.{10,400}\.$/);
      expect(causeText(cause)).not.toMatch(/undefined|null|\.\.$/);
    }
  });

  it('D3 a cause is told once until it is acknowledged, then anew', async () => {
    const { db } = await temporaryStore();
    const table = noticesTable(db);
    const { raise } = notifier(table);
    const cause = CAUSES['server-unreachable'];
    expect(raise(cause, MORNING)).toBe(true);
    expect(raise({ ...cause, message: 'no route' }, MORNING + 5)).toBe(false);
    expect(raise(CAUSES['disk-full'], MORNING + 1, 7)).toBe(true);
    const [first, second] = table.open();
    expect(first).toMatchObject({ count: 2, firstAt: MORNING, lastAt: MORNING + 5, draft: null });
    expect(first?.text).toContain('no route');
    expect(second).toMatchObject({ cause: 'disk-full', count: 1, draft: 7 });
    expect(table.acknowledge(first?.id ?? 0, MORNING + 6)).toBe(true);
    expect(table.acknowledge(first?.id ?? 0, MORNING + 7)).toBe(false);
    expect(raise(cause, MORNING + 8)).toBe(true);
    expect(table.open().map(({ count }) => count)).toEqual([1, 1]);
  });

  it('D3 the notice of a cause that is over closes by itself', async () => {
    const { db } = await temporaryStore();
    const table = noticesTable(db);
    const { raise, settle } = notifier(table);
    raise(CAUSES['config-broken'], MORNING);
    raise(CAUSES['server-unreachable'], MORNING);
    settle({ kind: 'config-broken' }, MORNING + 1);
    settle({ kind: 'server-unreachable', server: 'another' }, MORNING + 1);
    expect(table.open().map(({ cause }) => cause)).toEqual(['server-unreachable:here']);
  });

  it('D3 a digest takes the place of the one before: a new notice, and only one open', async () => {
    const { db } = await temporaryStore();
    const table = noticesTable(db);
    const { replace } = notifier(table);
    replace(CAUSES.digest, MORNING);
    const [first] = table.open();
    replace({ kind: 'digest', text: 'While you were away: 2 jobs ran.' }, MORNING + 9);
    const [second, ...more] = table.open();
    expect(more).toEqual([]);
    expect(second).toMatchObject({ text: 'While you were away: 2 jobs ran.', count: 1 });
    expect(second?.id).toBeGreaterThan(first?.id ?? 0);
  });

  it('D3 a title in a notice cannot drive a terminal or fill it', () => {
    const title = `\u001b[2J\u202e${'x'.repeat(100_000)}\n`;
    const text = causeText({ kind: 'given-up', job: 1, title });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that none is left is what is tested
    expect(text).not.toMatch(/[\u0000-\u001f\u202e]/);
    expect(text.length).toBeLessThan(300);
  });
});
