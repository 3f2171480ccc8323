import { z } from 'zod';

/**
 * What a draft says, as stored in `drafts.body`: `orderBody` for kind `order`, `textBody` for kind
 * `text`, `reportBody` for kind `report`. Money is integer cents. Every figure of an order comes from a tool's result.
 */

/** How it came about. */
export const draftSteps = z.object({
  /** Model turns. */
  count: z.int().min(0),
  /** Time the run took, pauses between claims left out; null when it is not known. */
  millis: z.int().min(0).nullable(),
  /** Names of the tools in the order they were called, repeats included. */
  tools: z.array(z.string()),
});

export const orderLine = z.object({
  sku: z.string().min(1).max(100),
  name: z.string().min(1).max(300),
  unit: z.string().min(1).max(40),
  quantity: z.int().min(1),
  unitCostCents: z.int().min(0),
  totalCents: z.int().min(0),
});

export const orderBody = z.object({
  /** Sorted by SKU, one line an item. */
  lines: z.array(orderLine).min(1),
  /** The model's own closing words, unchecked; never a source of figures. May be empty. */
  notes: z.string(),
  /** Where the figures come from, and what the owner should know of the run. */
  provenance: z.string(),
  steps: draftSteps,
});

export const textBody = z.object({
  text: z.string(),
  /** Who wrote it and whether it was checked, and what the owner should know of the run. */
  provenance: z.string(),
  steps: draftSteps,
});

export const reportBody = textBody.extend({
  /** The job that approving the report starts again, as a new one; null where nothing is to be done. */
  runAgain: z.int().min(1).nullable(),
});

export type DraftSteps = z.infer<typeof draftSteps>;
export type OrderLine = z.infer<typeof orderLine>;
export type OrderBody = z.infer<typeof orderBody>;
export type TextBody = z.infer<typeof textBody>;
export type ReportBody = z.infer<typeof reportBody>;
