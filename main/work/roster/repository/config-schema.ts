import { z } from 'zod';

/**
 * `torch-config.json` as existing repositories hold it. Keys that are not ours are left alone; numbers
 * may be written as text, and booleans as 1, yes, on, 0, no, off.
 */

const YES: readonly unknown[] = [1, '1', 'true', 'yes', 'on'];
const NO: readonly unknown[] = [0, '0', 'false', 'no', 'off'];

const flag = z.preprocess((value) => {
  const word = typeof value === 'string' ? value.trim().toLowerCase() : value;
  if (YES.includes(word)) return true;
  return NO.includes(word) ? false : value;
}, z.boolean());

const whole = (least: number, most: number) =>
  z.preprocess(
    (value) =>
      typeof value === 'string' && /^\s*-?\d{1,15}\s*$/.test(value) ? Number(value) : value,
    z.int().min(least).max(most),
  );

/** A list, or the same as text divided by commas. */
const list = z.preprocess(
  (value) =>
    typeof value === 'string'
      ? value
          .split(',')
          .map((part) => part.trim())
          .filter((part) => part !== '')
      : value,
  z.array(z.string().max(4096)).max(10_000),
);

const texts = z.array(z.string().max(65_536)).max(1000);

/** A command or a name; empty is none. */
const text = z
  .string()
  .max(65_536)
  .nullish()
  .transform((value) => value?.trim() || null);

/** One of them for each cadence. */
const cadenced = <T extends z.ZodType>(one: T) => z.object({ daily: one, weekly: one });

const memoryPolicy = z
  .object({
    mode: z.enum(['optional', 'required']).default('optional'),
    retrieveCommand: text,
    storeCommand: text,
    retrieveSuccessMarkers: texts.default(['MEMORY_RETRIEVED']),
    storeSuccessMarkers: texts.default(['MEMORY_STORED']),
    retrieveArtifacts: texts.default([]),
    storeArtifacts: texts.default([]),
  })
  .prefault({});

export type MemoryPolicy = z.infer<typeof memoryPolicy>;

/** Ten years: a bound against slips of the keyboard. */
const LONG_MS = 315_360_000_000;

const scheduler = z
  .object({
    strict_lock: flag.default(true),
    degraded_lock_retry_window: whole(0, LONG_MS).default(3_600_000),
    max_deferrals: whole(0, 1_000_000).default(3),
    lockRetry: z
      .object({
        maxRetries: whole(0, 1000).default(2),
        backoffMs: whole(0, 600_000).default(250),
        jitterMs: whole(0, 600_000).default(75),
      })
      .prefault({}),
    lockHealthPreflight: flag.default(false),
    firstPromptByCadence: cadenced(text).prefault({}),
    handoffCommandByCadence: cadenced(text).prefault({}),
    validationCommandsByCadence: cadenced(texts.default(['npm run lint'])).prefault({}),
    memoryPolicyByCadence: cadenced(memoryPolicy).prefault({}),
    paused: cadenced(list.default([])).prefault({}),
  })
  .prefault({});

const nostrLock = z
  .object({
    namespace: z.string().trim().min(1).max(100).default('torch'),
    relays: list.default(['wss://relay.damus.io', 'wss://nos.lol', 'wss://relay.primal.net']),
    relayFallbacks: list.default([]),
    ttlSeconds: whole(1, 31_536_000).default(7200),
    queryTimeoutMs: whole(100, 120_000).default(30_000),
    publishTimeoutMs: whole(100, 120_000).default(15_000),
    minSuccessfulRelayPublishes: whole(1, 1000).default(1),
    minActiveRelayPool: whole(1, 1000).default(1),
    /** Ours; existing tools leave it alone. */
    whenUnreachable: z.enum(['fail', 'local']).default('fail'),
    dailyRoster: list.nullish().transform((names) => (names?.length ? names : null)),
    weeklyRoster: list.nullish().transform((names) => (names?.length ? names : null)),
  })
  .prefault({});

export const torchConfig = z.object({
  scheduler,
  nostrLock,
  dashboard: z.object({ hashtag: text }).prefault({}),
});

export type TorchConfig = z.infer<typeof torchConfig>;
