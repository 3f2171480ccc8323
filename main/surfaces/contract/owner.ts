import { z } from 'zod';
import { at, command, id, instant } from './fields.ts';
import { runRow } from './vitals.ts';

/** The whole at a glance, and what the owner says to it: pauses, presence, notices, settings. */

export const pausedView = z.object({
  all: z.object({ until: at.nullable() }).nullable(),
  heavy: z.object({ until: at.nullable() }).nullable(),
});

export const presenceWord = z.object({ present: z.boolean(), until: at.nullable() }).nullable();

export const gateView = z.object({
  id: z.string(),
  open: z.boolean(),
  blocks: z.enum(['none', 'heavy', 'all', 'other-models']),
  code: z.string(),
  reason: z.string(),
});

export const statusView = z.object({
  host: z
    .object({ pid: z.int(), version: z.string(), home: z.string(), model: z.string() })
    .nullable(),
  /** The newest life of a host; `dead` where it ended without a word and nobody came since. */
  run: runRow.nullable(),
  /** Work may run and nothing moves, since then. */
  stalled: z.object({ since: at }).nullable(),
  /** Jobs that run and show no progress, since then. */
  wedged: z.array(z.object({ job: id, title: z.string(), since: at })),
  line: z.string(),
  paused: pausedView,
  /** The owner's own word on presence, while it lasts. */
  word: presenceWord,
  gates: z.array(gateView),
  queue: z.object({ queued: z.int(), running: z.int(), deferred: z.int() }),
  drafts: z.object({ pending: z.int() }),
});

export const noticeRow = z.object({
  id,
  /** What kind of thing it tells: `digest`, `job-failed` … */
  kind: z.string(),
  text: z.string(),
  draft: id.nullable(),
  count: z.int(),
  lastAt: at,
});

export const probeRow = z.object({
  fact: z.string(),
  source: z.string(),
  value: z.string().nullable(),
  reason: z.string().nullable(),
});

/** Some carriers bring more than JSON can hold, and a file of settings is JSON. */
const jsonValue = z
  .unknown()
  .refine((value) => value === undefined || z.json().safeParse(value).success, {
    message: 'must be JSON: a text, a number, true, false, null, a list or an object',
  });

export const ownerCommands = {
  status: command(true, z.strictObject({}), statusView),
  doctor: command(
    true,
    z.strictObject({}),
    z.object({
      probes: z.array(probeRow),
      checks: z.array(
        z.object({ name: z.string(), ok: z.boolean().nullable(), detail: z.string() }),
      ),
    }),
  ),
  pause: command(
    false,
    z
      .strictObject({
        scope: z.enum(['all', 'heavy']).default('all'),
        forSeconds: z.int().min(1).max(31_536_000).optional(),
        until: z.union([instant, z.literal('morning')]).optional(),
      })
      .refine((input) => input.forSeconds === undefined || input.until === undefined, {
        message: 'give a duration or a time, not both',
      }),
    pausedView,
  ),
  resume: command(
    false,
    z.strictObject({ scope: z.enum(['all', 'heavy']).optional() }),
    pausedView,
  ),
  'presence.override': command(
    false,
    z
      .strictObject({
        say: z.enum(['present', 'away', 'clear']),
        forSeconds: z.int().min(1).max(31_536_000).optional(),
        until: instant.optional(),
      })
      .refine((input) => input.forSeconds === undefined || input.until === undefined, {
        message: 'give a duration or a time, not both',
      }),
    presenceWord,
  ),
  'notices.acknowledge': command(false, z.strictObject({ id }), z.object({})),
  'config.get': command(true, z.strictObject({ key: z.string().optional() }), z.unknown()),
  'config.set': command(
    false,
    z.strictObject({ key: z.string().min(1), value: jsonValue }),
    z.unknown(),
  ),
} as const;
