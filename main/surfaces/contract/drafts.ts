import { z } from 'zod';
import { DRAFT_STATES } from '../../base/store/drafts.ts';
import { at, command, id, instant, limit } from './fields.ts';

/** Drafts: results that await the owner. */

export const draftRow = z.object({
  id,
  state: z.enum(DRAFT_STATES),
  kind: z.enum(['order', 'text', 'report', 'cycle']),
  title: z.string(),
  subject: z.string().nullable(),
  totalCents: z.int().nullable(),
  currency: z.string().nullable(),
  job: id,
  createdAt: at,
  /** Beside the title: of an order its line or how many, of words their beginning. */
  summary: z.string(),
  supersededBy: id.nullable(),
  /** Put off by the owner; until null: the next lull. */
  snoozed: z.object({ until: at.nullable() }).nullable(),
});

export const orderLine = z.object({
  sku: z.string(),
  name: z.string(),
  unit: z.string(),
  quantity: z.int(),
  unitCostCents: z.int(),
  totalCents: z.int(),
});

export const draftDetail = draftRow.extend({
  model: z.string().nullable(),
  decidedAt: at.nullable(),
  appliedAt: at.nullable(),
  error: z.string().nullable(),
  lines: z.array(orderLine),
  /** What a cycle changed in its repository; null for every other kind. */
  changes: z
    .object({
      repository: z.string(),
      /** The branch that approving merges into. */
      target: z.string(),
      files: z.array(
        z.object({ path: z.string(), added: z.int().nullable(), removed: z.int().nullable() }),
      ),
      /** All of them: `files` may leave some out. */
      total: z.object({ files: z.int(), added: z.int(), removed: z.int() }),
      /** A unified diff, or the beginning of it. */
      patch: z.string(),
      patchCut: z.boolean(),
    })
    .nullable(),
  /** The words of a text, a report or a cycle; empty for an order. */
  text: z.string(),
  /** The closing words of a model under an order: not checked, and no source of figures. */
  notes: z.string(),
  /** Where the figures or the words come from, one sentence. */
  provenance: z.string(),
  /** What approving would do, one line each, for example `+ orders/7.csv  2 lines`. */
  effects: z.array(z.string()),
  /** How it came about. */
  steps: z.object({ count: z.int(), millis: z.int().nullable(), tools: z.array(z.string()) }),
  transcript: z.array(z.object({ role: z.string(), text: z.string() })),
});

export const approval = z.discriminatedUnion('outcome', [
  z.object({
    outcome: z.literal('applied'),
    files: z.array(z.string()),
    /** The new one that a report asked for. */
    job: id.optional(),
  }),
  z.object({
    /** Something changed since the draft was made: look, then approve again with `confirm`. */
    outcome: z.literal('changed'),
    changes: z.array(z.string()),
    confirm: z.string(),
  }),
  z.object({ outcome: z.literal('failed'), error: z.string() }),
]);

export const draftsCommands = {
  'drafts.list': command(
    true,
    z.strictObject({
      state: z.enum(DRAFT_STATES).optional(),
      /** Pending ones only: those that are put off, or those that are not. */
      snoozed: z.boolean().optional(),
      before: id.optional(),
      limit,
    }),
    z.array(draftRow),
  ),
  'drafts.show': command(true, z.strictObject({ id }), draftDetail),
  'drafts.approve': command(
    false,
    z.strictObject({ id, confirm: z.string().max(200).optional() }),
    approval,
  ),
  'drafts.dismiss': command(false, z.strictObject({ id }), draftRow),
  /** Puts a pending draft off; until the morning where nothing else is said. */
  'drafts.snooze': command(
    false,
    z
      .strictObject({
        id,
        forSeconds: z.int().min(1).max(31_536_000).optional(),
        until: z.union([instant, z.enum(['morning', 'next-lull'])]).optional(),
      })
      .refine((input) => input.forSeconds === undefined || input.until === undefined, {
        message: 'give a duration or a time, not both',
      }),
    draftRow,
  ),
  /** Brings a snoozed draft back. */
  'drafts.wake': command(false, z.strictObject({ id }), draftRow),
  /** Takes a dismissal back. */
  'drafts.restore': command(false, z.strictObject({ id }), draftRow),
} as const;
