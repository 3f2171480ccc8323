import { z } from 'zod';
import { tier } from '../base/config-schema.ts';
import { JOB_STATES } from '../base/store/job-states.ts';

/**
 * The one contract between the host and everything in front of it: commands, the view a panel gets,
 * and the pushes that follow. Carriers and the client are derived from it, and the host validates
 * both directions. Times are epoch milliseconds UTC, money is integer cents.
 */

const id = z.int().min(1);
const at = z.int();
const identity = z
  .string()
  .trim()
  .min(1, 'must not be empty')
  .max(100, 'must be 100 characters or fewer');
const prompt = z
  .string()
  .refine((text) => text.trim().length > 0, 'must not be empty')
  .refine(
    (text) => new TextEncoder().encode(text).length <= 16_384,
    'must be 16,384 bytes or fewer',
  );
const instant = z.int().min(0).max(8_640_000_000_000_000);
const limit = z.int().min(1).max(500).default(50);
const session = identity;
/** `local`, or `telegram:ACCOUNT:ID`. */
const destination = z
  .string()
  .regex(/^(local|telegram:[A-Za-z0-9_-]+:[1-9]\d{0,19})$/, 'must be local or telegram:ACCOUNT:ID')
  .default('local');

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
  line: z.string(),
  paused: pausedView,
  /** The owner's own word on presence, while it lasts. */
  word: presenceWord,
  gates: z.array(gateView),
  queue: z.object({ queued: z.int(), running: z.int(), deferred: z.int() }),
  drafts: z.object({ pending: z.int() }),
});

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

export const draftStates = [
  'pending',
  'approved',
  'applied',
  'apply-failed',
  'dismissed',
  'superseded',
] as const;

export const draftRow = z.object({
  id,
  state: z.enum(draftStates),
  kind: z.enum(['order', 'text', 'report']),
  title: z.string(),
  subject: z.string().nullable(),
  totalCents: z.int().nullable(),
  currency: z.string().nullable(),
  job: id,
  createdAt: at,
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
  supersededBy: id.nullable(),
  lines: z.array(orderLine),
  /** The words of a text or report draft; empty for an order. */
  text: z.string(),
  /** Where the figures or the words come from, one sentence. */
  provenance: z.string(),
  /** What approving would do, one line each, for example `+ orders/7.csv  2 lines`. */
  effects: z.array(z.string()),
  /** How it came about. */
  steps: z.object({ count: z.int(), millis: z.int().nullable(), tools: z.array(z.string()) }),
  transcript: z.array(z.object({ role: z.string(), text: z.string() })),
});

export const approval = z.discriminatedUnion('outcome', [
  z.object({ outcome: z.literal('applied'), files: z.array(z.string()) }),
  z.object({
    /** Something changed since the draft was made: look, then approve again with `confirm`. */
    outcome: z.literal('changed'),
    changes: z.array(z.string()),
    confirm: z.string(),
  }),
  z.object({ outcome: z.literal('failed'), error: z.string() }),
]);

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

export const scheduleRule = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('interval'),
    everySeconds: z.int().min(1).max(3_153_600_000),
    first: instant,
  }),
  z.object({ kind: z.literal('cron'), expression: z.string().max(200), zone: z.string().max(100) }),
]);

export const missedPolicy = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('coalesce') }),
  z.object({ kind: z.literal('skip') }),
  z.object({ kind: z.literal('within'), seconds: z.int().min(1).max(31_536_000) }),
  z.object({ kind: z.literal('replay'), atMost: z.int().min(1).max(1000) }),
]);

export const scheduleRow = z.object({
  id: z.string(),
  revision: z.int(),
  prompt: z.string(),
  session: z.string(),
  tier: tier.nullable(),
  rule: scheduleRule,
  /** The rule in words. */
  ruleText: z.string(),
  missed: missedPolicy,
  to: z.string(),
  enabled: z.boolean(),
  nextDue: at.nullable(),
  /** Occurrences that did not become a job of their own. */
  missedCount: z.int(),
  lastAdmittedAt: at.nullable(),
  lastStartedAt: at.nullable(),
  lastFinishedAt: at.nullable(),
});

export const occurrence = z.object({
  at,
  /** Local time in the schedule's zone, for people. */
  local: z.string(),
  /** What is unusual about it (a daylight-saving night, a dropped day), or null. */
  note: z.string().nullable(),
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

/** The first snapshot of a panel; afterwards pushes replace whole sections. Lists hold 50 at most. */
export const panelView = z.object({
  status: statusView,
  /** The facts that decide, in words, under the one line. */
  detail: z.string(),
  nextLull: z.string().nullable(),
  running: z.array(jobRow),
  waiting: z.array(
    jobRow.extend({ code: z.string(), why: z.string(), forecast: z.string().nullable() }),
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
  /** Today. */
  tide: tideView,
  currency: z.string(),
});

const admitted = z.object({ job: id, outcome: z.enum(['admitted', 'duplicate', 'coalesced']) });
const scheduleFields = {
  prompt,
  session: session.default('shop'),
  tier: tier.nullable().default(null),
  to: destination,
  rule: scheduleRule,
  missed: missedPolicy.default({ kind: 'coalesce' }),
};

function command<I extends z.ZodType, O extends z.ZodType>(reads: boolean, input: I, output: O) {
  return { reads, input, output };
}

/** Every command: whether it only reads (and so needs no writer), what it takes, what it gives. */
export const commands = {
  status: command(true, z.strictObject({}), statusView),
  panel: command(true, z.strictObject({}), panelView),
  why: command(true, z.strictObject({ job: id.optional() }), z.array(whyRow)),
  doctor: command(
    true,
    z.strictObject({}),
    z.object({
      probes: z.array(probeRow),
      checks: z.array(z.object({ name: z.string(), ok: z.boolean(), detail: z.string() })),
    }),
  ),
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
  pause: command(
    false,
    z
      .strictObject({
        scope: z.enum(['all', 'heavy']).default('all'),
        forSeconds: z.int().min(1).max(31_536_000).optional(),
        until: instant.optional(),
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
  'stock.import': command(
    false,
    z.strictObject({
      /** The file's name, for messages. */
      name: z.string().min(1).max(300),
      /** The file's bytes, base64. */
      content: z.string().max(15_000_000),
      map: z.record(z.string(), z.string()).default({}),
      reorderPoint: z.int().min(0).optional(),
      location: z.string().max(200).optional(),
      dryRun: z.boolean().default(false),
    }),
    importReport,
  ),
  'stock.list': command(
    true,
    z.strictObject({ after: z.string().optional(), limit }),
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
      session: session.default('shop'),
      to: destination,
    }),
    conditionRow,
  ),
  'watch.remove': command(false, z.strictObject({ id: identity }), conditionRow),
  'watch.list': command(true, z.strictObject({}), z.array(conditionRow)),
  'schedule.add': command(false, z.strictObject({ id: identity, ...scheduleFields }), scheduleRow),
  'schedule.edit': command(
    false,
    z.strictObject({
      id: identity,
      prompt: prompt.optional(),
      tier: tier.nullable().optional(),
      rule: scheduleRule.optional(),
      missed: missedPolicy.optional(),
    }),
    scheduleRow,
  ),
  'schedule.enable': command(false, z.strictObject({ id: identity }), scheduleRow),
  'schedule.disable': command(false, z.strictObject({ id: identity }), scheduleRow),
  'schedule.list': command(true, z.strictObject({}), z.array(scheduleRow)),
  'schedule.preview': command(
    true,
    z.strictObject({
      id: identity.optional(),
      rule: scheduleRule.optional(),
      count: z.int().min(1).max(100).default(5),
    }),
    z.array(occurrence),
  ),
  'drafts.list': command(
    true,
    z.strictObject({ state: z.enum(draftStates).optional(), before: id.optional(), limit }),
    z.array(draftRow),
  ),
  'drafts.show': command(true, z.strictObject({ id }), draftDetail),
  'drafts.approve': command(
    false,
    z.strictObject({ id, confirm: z.string().max(200).optional() }),
    approval,
  ),
  'drafts.dismiss': command(false, z.strictObject({ id }), draftRow),
  /** Takes a dismissal back. */
  'drafts.restore': command(false, z.strictObject({ id }), draftRow),
  'notices.acknowledge': command(false, z.strictObject({ id }), z.object({})),
  'config.get': command(true, z.strictObject({ key: z.string().optional() }), z.unknown()),
  'config.set': command(
    false,
    z.strictObject({ key: z.string().min(1), value: z.unknown() }),
    z.unknown(),
  ),
} as const;

export type Commands = typeof commands;
export type CommandName = keyof Commands;
export type CommandInput<N extends CommandName> = z.input<Commands[N]['input']>;
export type ParsedInput<N extends CommandName> = z.output<Commands[N]['input']>;
export type CommandOutput<N extends CommandName> = z.output<Commands[N]['output']>;

/** A push: the named sections of the panel's view that changed, whole. */
export const push = z.object({ event: z.literal('panel'), changed: panelView.partial() });
export type Push = z.infer<typeof push>;

/** What a carrier sends first, unasked: whoever hears it knows that the host is alive. */
export const hello = z.object({ event: z.literal('hello'), pid: z.int(), version: z.string() });
export type Hello = z.infer<typeof hello>;

export const request = z.strictObject({
  id: z.int(),
  command: z.string(),
  input: z.unknown().optional(),
});

export const reply = z.discriminatedUnion('ok', [
  z.object({ id: z.int(), ok: z.literal(true), value: z.unknown() }),
  z.object({
    id: z.int(),
    ok: z.literal(false),
    code: z.string(),
    message: z.string(),
    hint: z.string().optional(),
  }),
]);

export type StatusView = z.infer<typeof statusView>;
export type GateView = z.infer<typeof gateView>;
export type PausedView = z.infer<typeof pausedView>;
export type JobRow = z.infer<typeof jobRow>;
export type JobDetail = z.infer<typeof jobDetail>;
export type WhyRow = z.infer<typeof whyRow>;
export type DraftRow = z.infer<typeof draftRow>;
export type DraftDetail = z.infer<typeof draftDetail>;
export type Approval = z.infer<typeof approval>;
export type ProductRow = z.infer<typeof productRow>;
export type ImportReport = z.infer<typeof importReport>;
export type ConditionRow = z.infer<typeof conditionRow>;
export type ScheduleRow = z.infer<typeof scheduleRow>;
export type ScheduleRule = z.infer<typeof scheduleRule>;
export type MissedPolicy = z.infer<typeof missedPolicy>;
export type Occurrence = z.infer<typeof occurrence>;
export type NoticeRow = z.infer<typeof noticeRow>;
export type TideView = z.infer<typeof tideView>;
export type HistoryRow = z.infer<typeof historyRow>;
export type RunNowView = z.infer<typeof runNowView>;
export type PanelView = z.infer<typeof panelView>;
export type WaitingRow = PanelView['waiting'][number];
