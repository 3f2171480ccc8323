import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DraftState } from '../../main/base/store/drafts.ts';
import {
  deskOver,
  finishedJob,
  good,
  MORNING,
  orderDraft,
  orderFiles,
  textDraft,
  VANILLA,
} from '../support/desk.ts';
import { temporaryStore } from '../support/store.ts';

async function aDesk() {
  const store = await temporaryStore();
  const set = deskOver(store);
  const add = (topic: string | null = null) =>
    set.drafts.insert(
      orderDraft(finishedJob(store), [VANILLA], { topic, createdAt: set.time.now }),
    );
  return { ...set, store, add };
}

describe('drafts', () => {
  it('D4 shows lines, effects, steps, provenance and the raw transcript', async () => {
    const { desk, store, drafts, transcripts } = await aDesk();
    const job = finishedJob(store);
    const id = drafts.insert(orderDraft(job));
    transcripts.insert({
      job,
      claimNo: 1,
      at: MORNING,
      status: 'completed',
      model: 'offline',
      messages: [
        { role: 'user', content: 'brief' },
        {
          role: 'assistant',
          content: '',
          toolCalls: [{ id: 'a', name: 'draft_order', arguments: { sku: 'SKU-VANILLA' } }],
        },
        { role: 'tool', toolCallId: 'a', toolName: 'draft_order', content: '{"ok":true}' },
        { role: 'assistant', content: 'It costs $12.00.' },
      ],
      usage: { promptTokens: 1, outputTokens: 1, turns: 2, millis: 1 },
    });
    expect(good(desk.show(id))).toMatchObject({
      lines: [VANILLA],
      text: '',
      effects: ['+ orders/1.csv  1 line', '+ orders/1.md'],
      provenance:
        'Figures come from the stock and price tools. Approving writes an order file; nothing is bought.',
      steps: { count: 3, millis: 1200, tools: ['list_stock', 'draft_order'] },
      transcript: [
        { role: 'user', text: 'brief' },
        { role: 'assistant', text: '→ draft_order {"sku":"SKU-VANILLA"}' },
        { role: 'tool draft_order', text: '{"ok":true}' },
        { role: 'assistant', text: 'It costs $12.00.' },
      ],
    });
  });

  it('A5 a text draft shows the words whole, to be copied, and who wrote them', async () => {
    const { desk, store, drafts } = await aDesk();
    const text = 'Line one\n\tline two — <b>bold</b> 🧑‍🍳';
    const id = drafts.insert(textDraft(finishedJob(store), text));
    expect(good(desk.show(id))).toMatchObject({
      text,
      lines: [],
      effects: [],
      provenance: 'Written by offline, not checked. Approving keeps it; nothing is written.',
    });
  });

  it('D4 a newer draft of a topic supersedes the pending one, and only that', async () => {
    const { desk, drafts, add, time } = await aDesk();
    const applied = add('stock:v');
    good(desk.approve(applied));
    const old = add('stock:v');
    const other = add('stock:s');
    const free = add();
    time.now += 1000;
    const newer = add('stock:v');
    const state = (id: number) => drafts.get(id)?.state;
    expect([applied, old, other, free, newer].map(state)).toEqual([
      'applied',
      'superseded',
      'pending',
      'pending',
      'pending',
    ]);
    expect(good(desk.show(old))).toMatchObject({ supersededBy: newer, decidedAt: time.now });
    expect(desk.dismiss(old)).toMatchObject({
      ok: false,
      message: `draft ${old} cannot be dismissed: draft ${newer} has taken its place`,
    });
  });

  it('D4 a dismissal can be taken back, until a newer draft of the topic is there', async () => {
    const { desk, add } = await aDesk();
    const id = add('stock:v');
    expect(good(desk.dismiss(id)).state).toBe('dismissed');
    expect(good(desk.dismiss(id)).state).toBe('dismissed');
    expect(good(desk.restore(id)).state).toBe('pending');
    expect(good(desk.restore(id)).state).toBe('pending');
    good(desk.dismiss(id));
    const newer = add('stock:v');
    good(desk.dismiss(newer));
    expect(desk.restore(id)).toMatchObject({
      ok: false,
      code: 'refused',
      message: `draft ${id} cannot be restored: draft ${newer} is newer and about the same`,
    });
    expect(good(desk.restore(newer)).state).toBe('pending');
  });

  it('D4 what was applied is neither dismissed nor restored', async () => {
    const { desk, add } = await aDesk();
    const id = add();
    good(desk.approve(id));
    const message = (wish: string) =>
      `draft ${id} cannot be ${wish}: it was approved and carried out`;
    expect(desk.dismiss(id)).toMatchObject({ ok: false, message: message('dismissed') });
    expect(desk.restore(id)).toMatchObject({ ok: false, message: message('restored') });
    for (const act of [desk.dismiss, desk.restore, desk.show]) {
      expect(act(99)).toMatchObject({ ok: false, code: 'not_found' });
    }
  });

  it('D4 time alone expires no draft', async () => {
    const { desk, add, time, drafts } = await aDesk();
    const id = add('stock:v');
    time.now += 3650 * 86_400_000;
    expect(desk.resumeApproved()).toEqual([]);
    expect(drafts.get(id)?.state).toBe('pending');
    expect(good(desk.approve(id)).outcome).toBe('applied');
  });

  it('D4 lists go from the newest, by state and by the page', async () => {
    const { desk, add } = await aDesk();
    const ids = Array.from({ length: 5 }, () => add());
    good(desk.dismiss(ids[3] as number));
    const idsOf = (page: Parameters<typeof desk.list>[0]) => desk.list(page).map(({ id }) => id);
    expect(idsOf({ limit: 2 })).toEqual([5, 4]);
    expect(idsOf({ limit: 2, before: 4 })).toEqual([3, 2]);
    expect(idsOf({ limit: 9, state: 'pending' })).toEqual([5, 3, 2, 1]);
    expect(idsOf({ limit: 9, state: 'pending', before: 3 })).toEqual([2, 1]);
  });
});

type Step =
  | { act: 'add'; topic: string | null }
  | { act: 'approve' | 'dismiss' | 'restore'; of: number }
  | { act: 'block' | 'unblock' };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ act: fc.constant('add' as const), topic: fc.constantFrom('v', 's', null) }),
  fc.record({
    act: fc.constantFrom('approve' as const, 'dismiss' as const, 'restore' as const),
    of: fc.nat({ max: 9 }),
  }),
  fc.record({ act: fc.constantFrom('block' as const, 'unblock' as const) }),
);

/** What each word of the owner makes of a draft in each state; absent = refused, nothing changes. */
const EXPECTED: Record<'dismiss' | 'restore', Partial<Record<DraftState, DraftState>>> = {
  dismiss: { pending: 'dismissed', dismissed: 'dismissed', 'apply-failed': 'dismissed' },
  restore: { pending: 'pending', dismissed: 'pending' },
};

describe('any sequence of words about drafts', () => {
  it('D4 keeps the closed table, one pending draft a topic, and one pair of files an applied order', async () => {
    const store = await temporaryStore();
    const job = finishedJob(store);
    const set = deskOver(store);
    const { desk, drafts, orders } = set;
    let ordinal = 0;
    const block = () => {
      rmSync(orders, { recursive: true, force: true });
      writeFileSync(orders, '');
    };
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
        store.db.exec('DELETE FROM drafts');
        rmSync(orders, { recursive: true, force: true });
        mkdirSync(orders);
        const ids: number[] = [];
        let blocked = false;
        for (const next of steps) {
          if (next.act === 'add') {
            ids.push(drafts.insert(orderDraft(job, [VANILLA], { ...next, ordinal: ordinal++ })));
          } else if (!('of' in next)) {
            if (orderNames().length > 0) continue;
            blocked = next.act === 'block';
            if (blocked) block();
            else rmSync(orders, { recursive: true, force: true });
          } else {
            const id = ids[next.of % Math.max(1, ids.length)];
            if (id === undefined) continue;
            decide(next.act, id, blocked);
          }
          check(ids);
        }
      }),
      { numRuns: 60 },
    );

    function decide(act: 'approve' | 'dismiss' | 'restore', id: number, blocked: boolean): void {
      const before = drafts.get(id)?.state as DraftState;
      const newer = isNewerOfTopic(id);
      if (act === 'approve') {
        const first = desk.approve(id);
        const answer =
          first.ok && first.value.outcome === 'changed'
            ? desk.approve(id, first.value.confirm)
            : first;
        const open = before === 'pending' || before === 'apply-failed';
        const expected = open ? (blocked ? 'apply-failed' : 'applied') : before;
        expect(drafts.get(id)?.state).toBe(expected);
        expect(answer.ok).toBe(open || before === 'applied');
      } else {
        const refused = act === 'restore' && before === 'dismissed' && newer;
        const expected = refused ? undefined : EXPECTED[act][before];
        expect(desk[act](id).ok).toBe(expected !== undefined);
        expect(drafts.get(id)?.state).toBe(expected ?? before);
      }
    }

    function isNewerOfTopic(id: number): boolean {
      const topic = drafts.get(id)?.topic;
      return topic != null && (drafts.newestOfTopic(topic)?.id ?? 0) > id;
    }

    function orderNames(): string[] {
      try {
        return Object.keys(orderFiles(orders));
      } catch {
        return [];
      }
    }

    function check(ids: number[]): void {
      const all = ids.map((id) => drafts.get(id));
      const topics = all.filter((one) => one?.state === 'pending' && one.topic !== null);
      expect(new Set(topics.map((one) => one?.topic)).size).toBe(topics.length);
      const applied = all.filter((one) => one?.state === 'applied').map((one) => one?.id);
      const pairs = applied.flatMap((id) => [`${id}.csv`, `${id}.md`]).sort();
      expect(orderNames()).toEqual(pairs);
    }
  });
});
