import { z } from 'zod';
import { scheduleRule } from '../../base/schedule-rule.ts';
import { at, command, id } from './fields.ts';
import { scheduleRow } from './schedules.ts';

/** Roster cycles: the repositories Lull goes round with consent, and what came of it. */

const path = z.string().trim().min(1, 'must not be empty').max(4096);
const cadence = z.enum(['daily', 'weekly']);
const name = z.string().trim().min(1).max(100).nullable().default(null);
const names = z.array(z.string());

const cadenceRow = z.object({
  /** Agents in their order. */
  roster: names,
  /** Those the repository's own configuration leaves out. */
  paused: names,
  /** When it is due; null: only when asked for. */
  schedule: scheduleRow.nullable(),
});

export const repositoryRow = z.object({
  path: z.string(),
  platform: z.string().nullable(),
  model: z.string().nullable(),
  prepare: z.string().nullable(),
  /** Without it nothing runs. */
  consent: z.object({ at, said: z.string() }).nullable(),
  /** Why nothing can run there now. */
  fault: z.string().nullable(),
  cadences: z.object({ daily: cadenceRow, weekly: cadenceRow }),
});

export const cycleRunRow = z.object({
  id,
  job: id,
  repository: z.string(),
  cadence,
  startedAt: at,
  endedAt: at.nullable(),
  status: z.enum([
    'running',
    'completed',
    'failed',
    'deferred',
    'skipped',
    'refused',
    'interrupted',
    'broken',
  ]),
  agent: z.string().nullable(),
  reason: z.string().nullable(),
  detail: z.string().nullable(),
  draft: id.nullable(),
});

export const cyclesView = z.object({
  /** Where the lock is kept: on this machine, or with the relays. */
  lock: z.enum(['local', 'relays']),
  relays: names,
  repositories: z.array(repositoryRow),
  /** The newest first. */
  runs: z.array(cycleRunRow),
});

export const cyclePlan = z.object({
  agents: z.array(
    z.object({
      agent: z.string(),
      /** 1 for the next one; null where it cannot be its turn now. */
      turn: z.int().nullable(),
      out: z.enum(['locked', 'paused', 'ran']).nullable(),
      lockedUntil: at.nullable(),
    }),
  ),
  /** Why the lock could not be asked, or null. */
  lockFault: z.string().nullable(),
});

export const lockHealth = z.object({
  kind: z.enum(['local', 'relays']),
  ok: z.boolean(),
  said: z.string().nullable(),
  relays: z.array(
    z.object({
      relay: z.string(),
      ok: z.boolean(),
      /** Milliseconds to read an event back. */
      ms: z.int().nullable(),
      error: z.string().nullable(),
    }),
  ),
});

export const cyclesCommands = {
  /** Without `consent` it says what adding means, and stores nothing. */
  'cycles.add': command(
    false,
    z.strictObject({
      path,
      daily: scheduleRule.nullable().default(null),
      weekly: scheduleRule.nullable().default(null),
      platform: name,
      model: name,
      prepare: z.string().trim().min(1).max(4096).nullable().default(null),
      consent: z.boolean().default(false),
    }),
    z.object({
      outcome: z.enum(['asks', 'added']),
      path: z.string(),
      says: names,
      roster: z.object({ daily: names, weekly: names }),
    }),
  ),
  'cycles.remove': command(false, z.strictObject({ path }), z.object({ path: z.string() })),
  'cycles.list': command(
    true,
    z.strictObject({ runs: z.int().min(0).max(200).default(20) }),
    cyclesView,
  ),
  'cycles.runNow': command(false, z.strictObject({ path, cadence }), z.object({ job: id })),
  /** Asks the lock, which may be far away. */
  'cycles.plan': command(true, z.strictObject({ path, cadence }), cyclePlan),
  'cycles.health': command(true, z.strictObject({ path }), lockHealth),
} as const;
