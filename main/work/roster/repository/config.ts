import type { z } from 'zod';
import { failure, ok, type Result } from '../../../base/errors.ts';
import { explain } from '../../../base/explain.ts';
import type { ByCadence } from './cadence.ts';
import { type MemoryPolicy, type TorchConfig, torchConfig } from './config-schema.ts';
import { findConfig } from './find-config.ts';
import { readJson } from './read-json.ts';

export interface SchedulerSettings {
  /** A lock that cannot be asked fails the cycle; otherwise it is put off, within the bounds below. */
  strictLock: boolean;
  degradedLockRetryWindowMs: number;
  maxDeferrals: number;
  lockRetry: { maxRetries: number; backoffMs: number; jitterMs: number };
  lockHealthPreflight: boolean;
  firstPrompt: ByCadence<string | null>;
  handoffCommand: ByCadence<string | null>;
  validationCommands: ByCadence<string[]>;
  memoryPolicy: ByCadence<MemoryPolicy>;
  paused: ByCadence<string[]>;
}

export interface LockSettings {
  namespace: string;
  hashtag: string;
  /** As written: the lock checks them, for a wrong one is a fault of its own category. */
  relays: string[];
  relayFallbacks: string[];
  ttlSeconds: number;
  queryTimeoutMs: number;
  publishTimeoutMs: number;
  minSuccessfulRelayPublishes: number;
  minActiveRelayPool: number;
  /**
   * No relay can be reached: say so (the cycle then fails or puts the run off, by `strictLock`), or let the
   * machine's own lock decide.
   */
  whenUnreachable: 'fail' | 'local';
  /** Rosters given by the environment or the configuration, before any roster file. */
  rosters: ByCadence<string[] | null>;
}

export interface RepositoryConfig {
  /** The file, or null where every value is a default. */
  path: string | null;
  scheduler: SchedulerSettings;
  lock: LockSettings;
}

/** Variables that go before the file, and the key each stands for. */
const OVERRIDES: readonly (readonly [variable: string, key: string])[] = [
  ['SCHEDULER_LOCK_MAX_RETRIES', 'scheduler.lockRetry.maxRetries'],
  ['SCHEDULER_LOCK_BACKOFF_MS', 'scheduler.lockRetry.backoffMs'],
  ['SCHEDULER_LOCK_JITTER_MS', 'scheduler.lockRetry.jitterMs'],
  ['SCHEDULER_LOCK_HEALTH_PREFLIGHT', 'scheduler.lockHealthPreflight'],
  ['SCHEDULER_STRICT_LOCK', 'scheduler.strict_lock'],
  ['SCHEDULER_DEGRADED_LOCK_RETRY_WINDOW_MS', 'scheduler.degraded_lock_retry_window'],
  ['SCHEDULER_MAX_DEFERRALS', 'scheduler.max_deferrals'],
  ['NOSTR_LOCK_NAMESPACE', 'nostrLock.namespace'],
  ['NOSTR_LOCK_RELAYS', 'nostrLock.relays'],
  ['NOSTR_LOCK_RELAY_FALLBACKS', 'nostrLock.relayFallbacks'],
  ['NOSTR_LOCK_TTL', 'nostrLock.ttlSeconds'],
  ['NOSTR_LOCK_QUERY_TIMEOUT_MS', 'nostrLock.queryTimeoutMs'],
  ['NOSTR_LOCK_PUBLISH_TIMEOUT_MS', 'nostrLock.publishTimeoutMs'],
  ['NOSTR_LOCK_MIN_SUCCESSFUL_PUBLISHES', 'nostrLock.minSuccessfulRelayPublishes'],
  ['NOSTR_LOCK_MIN_ACTIVE_RELAY_POOL', 'nostrLock.minActiveRelayPool'],
  ['NOSTR_LOCK_DAILY_ROSTER', 'nostrLock.dailyRoster'],
  ['NOSTR_LOCK_WEEKLY_ROSTER', 'nostrLock.weeklyRoster'],
  ['NOSTR_LOCK_HASHTAG', 'dashboard.hashtag'],
];

/**
 * The configuration of the repository at `root`, with the environment over the file and defaults under
 * both. Refuses, naming the key or the variable, whatever cannot be understood.
 */
export function readRepositoryConfig(
  root: string,
  env: NodeJS.ProcessEnv,
): Result<RepositoryConfig> {
  const found = findConfig(root, env);
  const raw = found ? readJson(found.path) : ok({});
  if (!raw.ok) {
    if (raw.code !== 'not_found' || !found?.named) return raw;
    return failure('not_found', `TORCH_CONFIG_PATH names no file: ${found.path}`);
  }
  const path = found?.path ?? null;
  const { value, variables } = withOverrides(raw.value, env);
  const skip = torchConfig.shape.scheduler
    .unwrap()
    .shape.lockHealthPreflight.safeParse(env.SCHEDULER_SKIP_LOCK_HEALTH_PREFLIGHT?.trim() || false);
  if (!skip.success) {
    return failure('invalid', 'SCHEDULER_SKIP_LOCK_HEALTH_PREFLIGHT must be true or false');
  }
  const parsed = torchConfig.safeParse(value);
  if (!parsed.success) {
    const issue = parsed.error.issues[0] as z.core.$ZodIssue;
    const { message, hint } = explain(issue, 'the file');
    const key = issue.path.join('.');
    const variable = variables.get(key);
    return variable
      ? failure('invalid', message.replace(key, variable), hint)
      : failure('invalid', `${path ?? 'torch-config.json'}: ${message}`, hint);
  }
  return ok(settingsOf(path, parsed.data, skip.data));
}

/** The raw configuration with the variables laid over it, and which key came from which variable. */
function withOverrides(
  raw: unknown,
  env: NodeJS.ProcessEnv,
): { value: unknown; variables: Map<string, string> } {
  const value: unknown = structuredClone(raw);
  const variables = new Map<string, string>();
  for (const [variable, key] of OVERRIDES) {
    const word = env[variable]?.trim();
    if (!word) continue;
    const path = key.split('.');
    let node = value;
    for (const step of path.slice(0, -1)) {
      if (!isObject(node)) break; // the schema will say what is wrong there
      node[step] ??= {};
      node = node[step];
    }
    if (!isObject(node)) continue;
    node[path.at(-1) as string] = word;
    variables.set(key, variable);
  }
  return { value, variables };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function settingsOf(path: string | null, config: TorchConfig, skip: boolean): RepositoryConfig {
  const { scheduler, nostrLock, dashboard } = config;
  const { dailyRoster, weeklyRoster, ...relays } = nostrLock;
  return {
    path,
    scheduler: {
      strictLock: scheduler.strict_lock,
      degradedLockRetryWindowMs: scheduler.degraded_lock_retry_window,
      maxDeferrals: scheduler.max_deferrals,
      lockRetry: scheduler.lockRetry,
      lockHealthPreflight: scheduler.lockHealthPreflight && !skip,
      firstPrompt: scheduler.firstPromptByCadence,
      handoffCommand: scheduler.handoffCommandByCadence,
      validationCommands: scheduler.validationCommandsByCadence,
      memoryPolicy: scheduler.memoryPolicyByCadence,
      paused: scheduler.paused,
    },
    lock: {
      ...relays,
      hashtag: dashboard.hashtag ?? `${nostrLock.namespace}-agent-lock`,
      rosters: { daily: dailyRoster, weekly: weeklyRoster },
    },
  };
}
