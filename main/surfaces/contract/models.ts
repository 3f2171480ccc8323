import { z } from 'zod';
import { tier } from '../../base/config-schema.ts';
import { at, command, instant } from './fields.ts';

/** Models: what is in memory, what serves which tier, and what could. Bytes are bytes, windows tokens. */

const bytes = z.number().min(0);
const window = z.int().min(0);

export const modelsView = z.object({
  /** The owner has named a server or a model; otherwise the offline model serves. */
  chosen: z.boolean(),
  /** Started with `--model offline`: whatever is chosen, the offline model serves. */
  forced: z.boolean(),
  budgetBytes: bytes,
  /** What is charged for all that is resident, as last seen. */
  usedBytes: bytes,
  residents: z.array(
    z.object({
      server: z.string(),
      model: z.string(),
      numCtx: window.nullable(),
      /** Null: cannot be known. */
      bytes: bytes.nullable(),
      /** Loaded by Lull; others belong to other programs, and are never unloaded by it. */
      ours: z.boolean(),
      role: z.enum(['pinned', 'worker', 'embedder']),
      /** Its server does not say what is in memory: it may be there. */
      presumed: z.boolean(),
    }),
  ),
  lineup: z.array(
    z.object({ tier, server: z.string(), label: z.string(), model: z.string(), numCtx: window }),
  ),
  /** What was last done about models, the newest first. */
  loads: z.array(
    z.object({
      id: z.int(),
      at,
      action: z.enum(['loading', 'load', 'failed', 'unload', 'stuck', 'gone', 'refused']),
      server: z.string(),
      model: z.string(),
      tier: z.string().nullable(),
      numCtx: window.nullable(),
      bytes: bytes.nullable(),
      millis: z.number().nullable(),
      /** It put another worker model out. */
      swapped: z.boolean(),
      detail: z.string().nullable(),
    }),
  ),
  /** Since the moment that was asked for. */
  tally: z.object({ loads: z.int(), swaps: z.int(), refusals: z.int() }),
});

const proposedTier = z.object({
  server: z.string(),
  model: z.string(),
  numCtx: window,
  /** What is counted for it; null: nobody says. */
  bytes: bytes.nullable(),
  /** GB; its server cannot say what it uses, so that this is to be confirmed. */
  memoryGb: z.number().optional(),
});

export const foundView = z.object({
  ramBytes: bytes,
  servers: z.array(
    z.object({
      name: z.string(),
      kind: z.enum(['ollama', 'openai']),
      url: z.string(),
      title: z.string(),
      version: z.string().nullable(),
      configured: z.boolean(),
      /** Why nothing is known of its models; null when it answered. */
      problem: z.string().nullable(),
      models: z.array(
        z.object({
          name: z.string(),
          bytes: bytes.nullable(),
          remote: z.boolean(),
          embedding: z.boolean(),
          tools: z.boolean().nullable(),
          resident: z.boolean(),
          window: window.nullable(),
        }),
      ),
    }),
  ),
  proposal: z.object({
    budgetBytes: bytes,
    /** Null: no model was found that fits. */
    tiers: z.record(tier, proposedTier).nullable(),
    /** Why these, a sentence each. */
    reasons: z.array(z.string()),
    /** What was found and is no part of it. */
    left: z.array(z.object({ server: z.string(), model: z.string(), why: z.string() })),
  }),
});

export const modelsCommands = {
  'models.show': command(true, z.strictObject({ since: instant.default(0) }), modelsView),
  /** Looks for servers and proposes a lineup. It is kept for `models.adopt`, so this is no mere reading. */
  'models.discover': command(false, z.strictObject({}), foundView),
  /** Takes the proposal that was last found, with the owner's own figures where they know better. */
  'models.adopt': command(
    false,
    z.strictObject({
      memoryGb: z.partialRecord(tier, z.number().positive().max(100_000)).default({}),
    }),
    modelsView,
  ),
} as const;
