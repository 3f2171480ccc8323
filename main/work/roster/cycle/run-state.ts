import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { utcDay } from './moments.ts';

const NAME = '.scheduler-run-state.json';

const deferralSchema = z.object({
  attempt_count: z.int().min(0),
  first_failure_timestamp: z.iso.datetime({ offset: true }),
  backend_category: z.string(),
  idempotency_key: z.string().min(1),
  selected_agent: z.string(),
});

/** A lock that could not be asked, and how often; in the words of the file. */
export type Deferral = z.infer<typeof deferralSchema>;

const stateSchema = z.object({ run_date: z.string(), lock_deferral: z.unknown() });

/** What one invocation leaves for the next one of the same UTC day. */
export interface RunState {
  run_date: string;
  lock_deferral: Deferral | null;
}

/**
 * The run state kept in `dir`. It is of one UTC day: yesterday's, a broken or a missing one is a fresh
 * one, so that a lost file costs no more than counting from the start.
 */
export function readRunState(dir: string, now: number): RunState {
  const today: RunState = { run_date: utcDay(now), lock_deferral: null };
  let raw: unknown;
  try {
    raw = JSON.parse(readFileSync(join(dir, NAME), 'utf8'));
  } catch {
    return today;
  }
  const state = stateSchema.safeParse(raw);
  if (!state.success || state.data.run_date !== today.run_date) return today;
  const deferral = deferralSchema.safeParse(state.data.lock_deferral);
  return { ...today, lock_deferral: deferral.success ? deferral.data : null };
}

/** Writes the run state, whole or not at all. Throws when it cannot be written. */
export function writeRunState(dir: string, state: RunState): void {
  mkdirSync(dir, { recursive: true });
  const path = join(dir, NAME);
  const draft = `${path}.${process.pid}.tmp`;
  try {
    writeFileSync(draft, `${JSON.stringify(state, null, 2)}\n`);
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}
