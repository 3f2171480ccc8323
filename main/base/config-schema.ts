import { z } from 'zod';
import { dailyHours, weeklyHours } from './hours-schema.ts';
import { rosterSettings } from './roster-schema.ts';
import { secretName } from './secret-name.ts';

const seconds = z.int().min(1).max(31_536_000);
const name = z.string().trim().min(1).max(100);

export const TIERS = ['pinned', 'routine', 'synthesis', 'stretch'] as const;
export const tier = z.enum(TIERS);
/** A class of model work; heavy means synthesis or stretch. */
export type Tier = z.infer<typeof tier>;

export const HEAVY_TIERS: ReadonlySet<Tier> = new Set(['synthesis', 'stretch']);

const modelServer = z
  .strictObject({
    name,
    /** `openai`: LM Studio, llama.cpp's server, llama-swap, vLLM and whatever else has `/v1`. */
    kind: z.enum(['ollama', 'openai', 'offline']),
    /** Base address, for example http://127.0.0.1:11434; Ollama's usual one may be left out. */
    url: z.url({ protocol: /^https?$/ }).optional(),
    /** The secret that is its API key, by the name it was given with `lull secret set`. */
    secret: secretName.optional(),
  })
  .refine(({ kind, url }) => kind !== 'openai' || url !== undefined, {
    path: ['url'],
    message: 'is missing: give the address, for example http://127.0.0.1:1234',
  })
  .refine(({ kind, secret }) => kind === 'openai' || secret === undefined, {
    path: ['secret'],
    message: 'is sent to servers of kind openai only: leave it out',
  });

const tierModel = z.strictObject({
  server: name,
  model: name,
  /** Context window in tokens, sent with every call. */
  numCtx: z.int().min(512).max(1_048_576),
  /** Memory it uses with that window, decimal GB, where the server cannot say or says too little. */
  memoryGb: z.number().positive().max(100_000).optional(),
});

/** Every setting of the owner, with its default. Unknown keys are refused. Units are in the names. */
export const configSchema = z.strictObject({
  /** Where an editor finds the schema of this file; Lull itself does not read it. */
  $schema: z.string().max(4096).optional(),
  presence: z
    .strictObject({
      idleThresholdSeconds: seconds.default(300),
      unattended: z.boolean().default(false),
      calls: z.boolean().default(true),
      displayAssertions: z.boolean().default(true),
      keepAwakeApps: z
        .array(name)
        .max(100)
        .default(['caffeinate', 'Amphetamine', 'KeepingYouAwake']),
      remoteSessions: z.boolean().default(false),
    })
    .prefault({}),
  power: z
    .strictObject({
      floorPercent: z.number().min(0).max(100).default(20),
      shedOnBattery: z.boolean().default(true),
      shedInLowPowerMode: z.boolean().default(true),
      thermalLimit: z.enum(['fair', 'serious', 'critical', 'off']).default('serious'),
    })
    .prefault({}),
  /** Heavy work waits while memory is nearly used up. */
  memory: z.strictObject({ shedUnderPressure: z.boolean().default(true) }).prefault({}),
  /** When heavy work may run, in local time; null: at any hour. */
  hours: z
    .strictObject({ heavy: z.array(weeklyHours).min(1).max(50).nullable().default(null) })
    .prefault({}),
  /** Programs, by process name, that get the machine for themselves: heavy work waits for their end. */
  exclusiveApps: z.array(name).max(100).default([]),
  yield: z.strictObject({ graceSeconds: seconds.default(10) }).prefault({}),
  queue: z
    .strictObject({
      lightCapacity: z.int().min(1).max(100_000).default(10),
      heavyCapacity: z.int().min(1).max(100_000).default(100),
      keepFinishedDays: z.int().min(1).max(36_500).default(90),
      keepFinishedCount: z.int().min(100).max(10_000_000).default(1_000_000),
      agingStepSeconds: seconds.default(900),
    })
    .prefault({}),
  /** Seconds a job of a kind may run per claim; a kind that is not listed has no lease. */
  jobBudgetsSeconds: z.record(name, seconds).default({}),
  /** Where a kind of work computes; a kind that is not listed does so in the host's own process. */
  workers: z
    .strictObject({
      mode: z.record(name, z.enum(['in-process', 'worker'])).default({}),
      /** How long a worker may compute for one batch; what it waits for the host does not count. */
      batchDeadlineSeconds: seconds.default(60),
      /** Between asking an overdue worker to end and ending it. */
      killGraceSeconds: seconds.default(30),
      /** Memory one worker may use, binary MB. */
      memoryMb: z.int().min(256).max(1_048_576).default(1024),
    })
    .prefault({}),
  models: z
    .strictObject({
      /** Memory all resident models may use together, decimal GB; null: three quarters of RAM. */
      budgetGb: z.number().positive().max(100_000).nullable().default(null),
      servers: z.array(modelServer).max(20).default([]),
      tiers: z.partialRecord(tier, tierModel).default({}),
      embedder: tierModel.nullable().default(null),
      keepAliveMinutes: z.int().min(1).max(100_000).default(30),
    })
    .prefault({}),
  /** Rosters of agents, gone round in repositories that were added with consent. */
  roster: rosterSettings.prefault({}),
  /** What the owner is told of outside the panel. */
  notices: z
    .strictObject({
      draftReady: z.boolean().default(true),
      digest: z.boolean().default(true),
      failures: z.boolean().default(true),
      /** Nothing is told in these hours; null: at any hour. */
      quietHours: dailyHours.nullable().default(null),
    })
    .prefault({}),
  /** When the host counts as ill: work may run and nothing moves, or a job shows no progress. */
  watchdog: z
    .strictObject({
      stalledAfterSeconds: seconds.default(900),
      wedgedAfterSeconds: seconds.default(900),
    })
    .prefault({}),
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/, 'three capital letters, such as USD')
    .default('USD'),
  log: z
    .strictObject({
      level: z.enum(['debug', 'info', 'warn', 'error']).default('info'),
      keepDays: z.int().min(1).max(3650).default(14),
    })
    .prefault({}),
});

export type Config = z.infer<typeof configSchema>;
