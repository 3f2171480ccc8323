import { z } from 'zod';
import { tier } from '../../base/config-schema.ts';
import { JOB_STATES } from '../../base/store/job-states.ts';
import { admitted, at, command, id, identity, instant, limit, prompt } from './fields.ts';

/** Jobs: what waits, runs and ran, and the day they ran in. */

export const jobRow = z.object({
  id,
  kind: z.string(),
  title: z.string(),
  tier,
  state: z.enum(JOB_STATES),
  priority: z.int(),
  attempts: z.int(),
  source: z.string().nullable(),
  session: z.string().nullable(),
  subject: z.string().nullable(),
  /** Why it waits, or why it ended; null when there is nothing to say. */
  reason: z.string().nullable(),
  coalesced: z.int(),
  progress: z
    .object({ done: z.number(), total: z.number().nullable(), unit: z.string() })
    .nullable(),
  createdAt: at,
  startedAt: at.nullable(),
  finishedAt: at.nullable(),
  expiresAt: at.nullable(),
});

export const eventRow = z.object({ at, kind: z.string(), payload: z.unknown() });

export const jobDetail = jobRow.extend({
  prompt: z.string().nullable(),
  result: z.string().nullable(),
  error: z.string().nullable(),
  retryOf: id.nullable(),
  draft: id.nullable(),
  events: z.array(eventRow),
});

export const whyRow = z.object({
  job: id,
  code: z.string(),
  reason: z.string(),
  /** When it may run, in words, with how sure; null when nothing is known. */
  forecast: z.string().nullable(),
});

const stretch = z.object({ from: at, to: at });

/** One local day: the owner's presence, the lulls, and the work in them, as recorded. */
export const tideView = stretch.extend({
  present: z.array(stretch),
  lulls: z.array(stretch),
  /** The newest 100. */
  ran: z.array(stretch.extend({ job: id, heavy: z.boolean() })),
  /** Heavy jobs that wait now; 0 for a day that is over. */
  waiting: z.int(),
  /** When the next lull usually begins, and how far past days lay from it. */
  next: z.object({ from: at, spreadMs: z.int() }).nullable(),
  /** The same in words. */
  text: z.string(),
});

export const historyRow = jobRow.extend({
  /** What it waited for longest, in words. */
  waitedBecause: z.string().nullable(),
  waitedMs: z.int(),
  yields: z.array(
    z.object({
      at,
      cause: z.string(),
      text: z.string(),
      /** From the asking until nothing ran for it. */
      tookMs: z.int().nullable(),
      /** From the asking until a model had left memory. */
      freeMs: z.int().nullable(),
    }),
  ),
  ranMs: z.int(),
  loads: z.int(),
});

const closedGate = z.object({ gate: z.string(), code: z.string(), reason: z.string() });

export const runNowView = z.object({
  /** `asks`: nothing was done, this is what would be; `runs`: the owner's word is recorded. */
  outcome: z.enum(['asks', 'runs']),
  job: id,
  /** Closed now, and passed by the owner's word. */
  waives: z.array(closedGate),
  /** Closed now, and waited for all the same; `onBattery`: passed with the owner's word on battery. */
  waits: z.array(closedGate.extend({ onBattery: z.boolean() })),
  /** What is waived until the job ends, in words. */
  text: z.string(),
});

export const jobsCommands = {
  why: command(true, z.strictObject({ job: id.optional() }), z.array(whyRow)),
  'jobs.list': command(
    true,
    z.strictObject({ state: z.enum(JOB_STATES).optional(), before: id.optional(), limit }),
    z.array(jobRow),
  ),
  'jobs.show': command(true, z.strictObject({ id }), jobDetail),
  'jobs.add': command(
    false,
    z.strictObject({
      text: prompt,
      tier: tier.default('synthesis'),
      notBefore: instant.optional(),
      until: instant.optional(),
      files: z.array(z.string().min(1).max(4096)).max(50).default([]),
      /** The same identity again gives the same job; made by the client for each click. */
      identity: identity.optional(),
    }),
    admitted,
  ),
  'jobs.cancel': command(false, z.strictObject({ id }), jobRow),
  'jobs.retry': command(false, z.strictObject({ id }), admitted),
  /** Without `confirm` it says what would be waived; with it, it is. Battery only where asked for. */
  'jobs.runNow': command(
    false,
    z.strictObject({
      id,
      confirm: z.boolean().default(false),
      onBattery: z.boolean().default(false),
    }),
    runNowView,
  ),
  'jobs.history': command(
    true,
    z.strictObject({ before: id.optional(), limit }),
    z.array(historyRow),
  ),
  'tide.day': command(true, z.strictObject({ day: z.string().max(20).optional() }), tideView),
} as const;
