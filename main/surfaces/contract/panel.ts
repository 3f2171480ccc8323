import { z } from 'zod';
import { draftRow } from './drafts.ts';
import { command } from './fields.ts';
import { jobRow, tideView } from './jobs.ts';
import { noticeRow, statusView } from './owner.ts';
import { scheduleRow } from './schedules.ts';
import { conditionRow, productRow } from './stock.ts';

/** The first snapshot of a panel; afterwards pushes replace whole sections. Lists hold 50 at most. */
export const panelView = z.object({
  status: statusView,
  /** The facts that decide, in words, under the one line. */
  detail: z.string(),
  nextLull: z.string().nullable(),
  running: z.array(
    jobRow.extend({
      /** Milliseconds, at the pace so far; null where nobody can tell. */
      leftMs: z.int().nullable(),
    }),
  ),
  waiting: z.array(
    jobRow.extend({
      code: z.string(),
      why: z.string(),
      forecast: z.string().nullable(),
      /** When it should start, as a moment, and how far from it it may be; null: there is none to name. */
      expectedAt: z.int().nullable(),
      spreadMs: z.int().nullable(),
    }),
  ),
  recent: z.array(jobRow),
  drafts: z.array(draftRow),
  schedules: z.array(scheduleRow),
  conditions: z.array(conditionRow),
  stock: z.array(productRow),
  stockTotal: z.int(),
  notices: z.array(noticeRow),
  /** What the owner may be told of outside the panel now, by the settings and quiet hours. */
  telling: z.object({ drafts: z.boolean(), digest: z.boolean(), failures: z.boolean() }),
  /** How much of what models may use is taken, bytes. */
  memory: z.object({ budgetBytes: z.number(), usedBytes: z.number() }),
  /** Today. */
  tide: tideView,
  currency: z.string(),
});

export const panelCommands = { panel: command(true, z.strictObject({}), panelView) } as const;
