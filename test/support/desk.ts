import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { LullError, ok, type Result } from '../../main/base/errors.ts';
import type { Store } from '../../main/base/store/database.ts';
import { draftsTable, type NewDraft } from '../../main/base/store/drafts.ts';
import { noticesTable } from '../../main/base/store/notices.ts';
import { transcriptsTable } from '../../main/base/store/transcripts.ts';
import { openDrafts } from '../../main/desk/drafts.ts';
import { notifier } from '../../main/desk/notices.ts';
import type { CurrentNeed } from '../../main/desk/order-changes.ts';
import type { OrderBody, OrderLine } from '../../main/work/agent/draft-body.ts';

/** 3 December 2026, 07:00 UTC. */
export const MORNING = Date.UTC(2026, 11, 3, 7);

export const VANILLA: OrderLine = {
  sku: 'SKU-VANILLA',
  name: 'Vanilla',
  unit: 'tubs',
  quantity: 6,
  unitCostCents: 250,
  totalCents: 1500,
};

export const STRAWBERRY: OrderLine = {
  sku: 'SKU-STRAWBERRY',
  name: 'Strawberry',
  unit: 'tubs',
  quantity: 4,
  unitCostCents: 275,
  totalCents: 1100,
};

/** The desk over a real database, with a shop and a clock that the test moves by hand. */
export function deskOver(store: Store, at = MORNING) {
  const drafts = draftsTable(store.db);
  const notices = noticesTable(store.db);
  const transcripts = transcriptsTable(store.db);
  const orders = join(dirname(store.path), 'orders');
  mkdirSync(orders, { recursive: true });
  const shop = new Map<string, CurrentNeed>();
  const again: number[] = [];
  const time = { now: at };
  const cycles = { decided: [] as number[], restored: [] as string[] };
  const runAgain = {
    answer: (job: number): Result<{ id: number }> => ok({ id: 100 + again.push(job) }),
  };
  for (const line of [VANILLA, STRAWBERRY]) shop.set(line.sku, needOf(line));
  const desk = openDrafts({
    store,
    clock: { now: () => time.now },
    drafts,
    transcripts,
    notices: notifier(notices),
    orders,
    needs: (sku) => shop.get(sku) ?? null,
    runAgain: (job) => runAgain.answer(job),
    zone: 'UTC',
    cycleDecided: () => void cycles.decided.push(time.now),
    cycleRestored: ({ branch }) => void cycles.restored.push(branch),
  });
  return { desk, drafts, notices, transcripts, orders, shop, again, time, runAgain, cycles };
}

/** The shop's need as a line was drafted. */
export function needOf(line: OrderLine): CurrentNeed {
  return { needed: line.quantity, unitCostCents: line.unitCostCents, countedAt: null };
}

/** A finished job, as a draft needs one. */
export function finishedJob(store: Store): number {
  const { lastInsertRowid } = store.db
    .prepare(
      `INSERT INTO jobs (kind, tier, num_ctx, class, priority, state, title, payload, created_at)
       VALUES ('brief', 'routine', 4096, 'light', 50, 'queued', 'Opening brief', '{}', ${MORNING})`,
    )
    .run();
  store.db
    .prepare(
      `UPDATE jobs SET state = 'running', claim_no = 1, claimed_by_run = 1, started_at = ${MORNING}
       WHERE id = ?`,
    )
    .run(lastInsertRowid);
  store.db
    .prepare(`UPDATE jobs SET state = 'done', finished_at = ${MORNING} WHERE id = ?`)
    .run(lastInsertRowid);
  return Number(lastInsertRowid);
}

export function orderDraft(
  job: number,
  lines: OrderLine[] = [VANILLA],
  over: Partial<NewDraft> = {},
): NewDraft {
  const body: OrderBody = {
    lines,
    notes: '',
    provenance: 'Figures come from the stock and price tools.',
    steps: { count: 3, millis: 1200, tools: ['list_stock', 'draft_order'] },
  };
  return {
    job,
    kind: 'order',
    title: 'Opening replenishment',
    subject: null,
    topic: null,
    body,
    totalCents: lines.reduce((sum, line) => sum + line.totalCents, 0),
    currency: 'USD',
    model: 'offline',
    createdAt: MORNING,
    ...over,
  };
}

export function textDraft(job: number, text: string, over: Partial<NewDraft> = {}): NewDraft {
  const provenance = 'Written by offline, not checked.';
  return {
    ...orderDraft(job),
    kind: 'text',
    title: 'A note',
    body: { text, provenance, steps: { count: 1, millis: null, tools: [] } },
    totalCents: null,
    currency: null,
    ...over,
  };
}

/** The names of the order files there are, hidden ones too, with their text. */
export function orderFiles(folder: string): Record<string, string> {
  const names = readdirSync(folder).sort();
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
}

/** The value of a result that must be good. */
export function good<T>(result: Result<T>): T {
  if (!result.ok) throw new LullError(result.code, result.message, result.hint);
  return result.value;
}
