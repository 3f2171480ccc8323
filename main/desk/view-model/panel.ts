import type { DraftHead } from '../../base/store/drafts.ts';
import type { Notice } from '../../base/store/notices.ts';
import type { Expected } from '../../engine/gates/forecast.ts';
import type { Why } from '../../engine/gates/why.ts';
import type { Job } from '../../engine/queue/job.ts';
import type { Progress } from '../../engine/supervisor/handler.ts';
import type { Tide } from '../../engine/vitals/tide.ts';
import type { Telling } from '../telling.ts';
import { type DraftRow, draftRow } from './draft.ts';
import { type JobRow, jobRow, type RunningRow, type WaitingRow, waitingRow } from './job.ts';
import {
  type ConditionRow,
  conditionRow,
  type ProductRow,
  productRow,
  type ScheduleRow,
  scheduleRow,
} from './producers.ts';
import { type StatusInput, type StatusView, statusView } from './status.ts';
import { oneLine } from './text.ts';

/** The most rows of each list that a panel is sent; the rest is asked for by the page. */
export const PANEL_ROWS = 50;

/** What the panel is made of. Lists are in the order shown, and need hold no more than is sent. */
export interface PanelInput {
  status: StatusInput;
  /** The facts that decide, in words, as the gates say them. */
  detail: string;
  nextLull: string | null;
  running: ReadonlyArray<{ job: Job; progress: Progress | null; leftMs: number | null }>;
  waiting: ReadonlyArray<{ job: Job; why: Why; expected: Expected | null }>;
  recent: readonly Job[];
  /** Pending, the newest first. */
  drafts: readonly DraftHead[];
  schedules: readonly ScheduleRow[];
  /** All of them: they say which products are watched. */
  conditions: readonly ConditionRow[];
  stock: ReadonlyArray<Omit<ProductRow, 'watched'>>;
  stockTotal: number;
  notices: readonly Notice[];
  telling: Telling;
  memory: PanelView['memory'];
  tide: Tide;
  currency: string;
}

export interface NoticeRow {
  id: number;
  kind: string;
  text: string;
  draft: number | null;
  count: number;
  lastAt: number;
}

export interface PanelView {
  status: StatusView;
  detail: string;
  nextLull: string | null;
  running: RunningRow[];
  waiting: WaitingRow[];
  recent: JobRow[];
  drafts: DraftRow[];
  schedules: ScheduleRow[];
  conditions: ConditionRow[];
  stock: ProductRow[];
  stockTotal: number;
  notices: NoticeRow[];
  telling: Telling;
  memory: { budgetBytes: number; usedBytes: number };
  tide: Tide;
  currency: string;
}

export function panelView(input: PanelInput): PanelView {
  const watched = new Set(input.conditions.filter(({ enabled }) => enabled).map(({ sku }) => sku));
  return {
    status: statusView(input.status),
    detail: oneLine(input.detail, 400),
    nextLull: input.nextLull === null ? null : oneLine(input.nextLull),
    running: rows(input.running, ({ job, progress, leftMs }) => ({
      ...jobRow(job, { progress }),
      leftMs,
    })),
    waiting: rows(input.waiting, ({ job, why, expected }) => waitingRow(job, why, expected)),
    recent: rows(input.recent, (job) => jobRow(job)),
    drafts: rows(input.drafts, draftRow),
    schedules: rows(input.schedules, scheduleRow),
    conditions: rows(input.conditions, conditionRow),
    stock: rows(input.stock, (product) => productRow(product, watched.has(product.sku))),
    stockTotal: input.stockTotal,
    notices: rows(input.notices, noticeRow),
    telling: input.telling,
    memory: input.memory,
    tide: input.tide,
    currency: input.currency,
  };
}

function rows<T, R>(list: readonly T[], row: (item: T) => R): R[] {
  return list.slice(0, PANEL_ROWS).map((item) => row(item));
}

export function noticeRow({ id, cause, text, draft, count, lastAt }: Notice): NoticeRow {
  return { id, kind: cause.split(':', 1)[0] ?? '', text: oneLine(text, 400), draft, count, lastAt };
}
