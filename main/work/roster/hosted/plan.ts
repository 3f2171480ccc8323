import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ok, type Result } from '../../../base/errors.ts';
import type { RosterRepository, RosterSettings } from '../../../base/roster-schema.ts';
import { chooseAgent } from '../cycle/choose.ts';
import { findJsonObject } from '../cycle/json-in-output.ts';
import { windowOf } from '../cycle/moments.ts';
import { readPastRuns } from '../cycle/past-runs.ts';
import type { Cadence } from '../repository/cadence.ts';
import { readRepositoryConfig } from '../repository/config.ts';
import { taskLogs } from '../repository/places.ts';
import { readRoster } from '../repository/roster.ts';
import { hostedLock, type LockGround } from './hosted-lock.ts';
import { lendLogs } from './log-book.ts';
import { logBook } from './places.ts';

export interface PlannedAgent {
  agent: string;
  /** 1 for the next one; null for those whose turn it cannot be now. */
  turn: number | null;
  /** Why not: somebody has it, the owner paused it, it ran within the window. */
  out: 'locked' | 'paused' | 'ran' | null;
  /** Until when it is locked (epoch ms); null where that is not known or does not end. */
  lockedUntil: number | null;
}

export interface CyclePlan {
  agents: PlannedAgent[];
  /** Null, or why the lock could not be asked: the plan then goes by the logs alone. */
  lockFault: string | null;
}

/** Whose turn it would be, one after the other, if nothing else happened. Reads, and asks the lock. */
export async function planCycles(
  { path }: Pick<RosterRepository, 'path'>,
  cadence: Cadence,
  settings: RosterSettings,
  ground: LockGround,
): Promise<Result<CyclePlan>> {
  const roster = readRoster(path);
  if (!roster.ok) return roster;
  const config = readRepositoryConfig(path, ground.env);
  if (!config.ok) return config;
  const names = roster.value[cadence];
  const { firstPrompt, paused } = config.value.scheduler;
  const now = ground.clock.now();
  const folder = mkdtempSync(join(tmpdir(), 'lull-plan-'));
  try {
    lendLogs([logBook(ground.home.cycles, path, cadence), taskLogs(path, cadence)], folder, now);
    const past = readPastRuns(folder, names, now, windowOf(cadence).ms);
    const { locks, fault } = await locksOf(path, cadence, settings, ground);
    const out = (agent: string) => {
      if (paused[cadence].includes(agent)) return 'paused' as const;
      if (past.recent.has(agent)) return 'ran' as const;
      return locks.has(agent) ? ('locked' as const) : null;
    };
    const excluded = new Set(names.filter((agent) => out(agent) !== null));
    const turns = turnsOf(names, excluded, past.previous, firstPrompt[cadence]);
    return ok({
      agents: names.map((agent) => ({
        agent,
        turn: turns.get(agent) ?? null,
        out: out(agent),
        lockedUntil: locks.get(agent) ?? null,
      })),
      lockFault: fault,
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Agents by their turn, from 1. */
export function turnsOf(
  roster: readonly string[],
  out: ReadonlySet<string>,
  previous: string | null,
  first: string | null,
): Map<string, number> {
  const turns = new Map<string, number>();
  const excluded = new Set(out);
  for (let before = previous; ; ) {
    const agent = chooseAgent(roster, excluded, before, first);
    if (agent === null) return turns;
    turns.set(agent, turns.size + 1);
    excluded.add(agent);
    before = agent;
  }
}

async function locksOf(
  path: string,
  cadence: Cadence,
  settings: RosterSettings,
  ground: LockGround,
): Promise<{ locks: Map<string, number | null>; fault: string | null }> {
  const locks = new Map<string, number | null>();
  const lock = hostedLock(path, settings, ground);
  if (!lock.ok) return { locks, fault: lock.message };
  const answer = await lock.value.check(cadence);
  const report = findJsonObject(answer.stdout, (value) => Array.isArray(value.locks));
  if (answer.code !== 0 || !report) return { locks, fault: lastLine(answer.stderr) };
  for (const one of report.locks as { agent?: unknown; expiresAt?: unknown }[]) {
    if (typeof one.agent !== 'string') continue;
    const until = typeof one.expiresAt === 'string' ? Date.parse(one.expiresAt) : Number.NaN;
    locks.set(one.agent, Number.isNaN(until) ? null : until);
  }
  return { locks, fault: null };
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) || 'the lock did not answer';
}
