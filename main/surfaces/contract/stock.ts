import { z } from 'zod';
import { LARGEST_CONTENT } from '../import-size.ts';
import { command, destination, identity, limit } from './fields.ts';

/** Products, their import, and the conditions that watch them. */

export const productRow = z.object({
  sku: z.string(),
  name: z.string(),
  unit: z.string(),
  onHand: z.int(),
  reorderPoint: z.int().nullable(),
  unitCostCents: z.int().nullable(),
  needed: z.int(),
  watched: z.boolean(),
});

export const importReport = z.object({
  dryRun: z.boolean(),
  format: z.string(),
  added: z.int(),
  changed: z.int(),
  unchanged: z.int(),
  rows: z.array(
    z.object({
      sku: z.string(),
      change: z.enum(['added', 'changed', 'unchanged']),
      detail: z.string(),
    }),
  ),
  skipped: z.array(z.object({ row: z.int(), sku: z.string().nullable(), why: z.string() })),
  notes: z.array(z.string()),
});

export const conditionRow = z.object({
  id: z.string(),
  sku: z.string(),
  session: z.string(),
  enabled: z.boolean(),
  armed: z.boolean(),
  generation: z.int(),
  problem: z.string().nullable(),
});

export const stockCommands = {
  'stock.import': command(
    false,
    z.strictObject({
      /** The file's name, for messages. */
      name: z.string().min(1).max(300),
      /** The file's bytes, base64. */
      content: z.string().max(LARGEST_CONTENT),
      map: z.record(z.string(), z.string()).default({}),
      reorderPoint: z.int().min(0).optional(),
      location: z.string().max(200).optional(),
      dryRun: z.boolean().default(false),
    }),
    importReport,
  ),
  'stock.list': command(
    true,
    z.strictObject({
      /** In the name or the SKU. */
      search: z.string().trim().max(200).optional(),
      after: z.string().optional(),
      limit,
    }),
    z.array(productRow),
  ),
  'stock.adjust': command(
    false,
    z.strictObject({
      sku: z.string().min(1).max(100),
      delta: z.int(),
      reason: z.string().trim().min(1).max(200),
      event: z.string().trim().min(1).max(200),
    }),
    z.object({ outcome: z.enum(['applied', 'duplicate']), onHand: z.int() }),
  ),
  'watch.add': command(
    false,
    z.strictObject({
      id: identity,
      sku: z.string().min(1).max(100),
      session: identity.default('shop'),
      to: destination,
    }),
    conditionRow,
  ),
  'watch.remove': command(false, z.strictObject({ id: identity }), conditionRow),
  'watch.list': command(true, z.strictObject({}), z.array(conditionRow)),
} as const;
