import { join } from 'node:path';
import { z } from 'zod';
import { type Failure, failure, ok, type Result } from '../../../base/errors.ts';
import { explain } from '../../../base/explain.ts';
import { nearest } from '../../../base/suggest.ts';
import { faultOfAgentName } from './agent-name.ts';
import { type ByCadence, byCadence, CADENCES, type Cadence } from './cadence.ts';
import type { LockSettings } from './config.ts';
import { readJson } from './read-json.ts';

/** Agents in their order, for each cadence; a list may be empty, a name stands in it once. */
export type Roster = ByCadence<string[]>;

/** Where a cycle finds its roster, below the repository. */
const CYCLE_ROSTER = join('src', 'prompts', 'roster.json');

/** Where lock commands look, in this order. */
const LOCK_ROSTERS = [join('torch', 'roster.json'), 'roster.json', CYCLE_ROSTER];

const rosterSchema = z.object({
  daily: z.array(z.string()).max(10_000).default([]),
  weekly: z.array(z.string()).max(10_000).default([]),
});

/** The roster a cycle goes round: `src/prompts/roster.json`. */
export function readRoster(root: string): Result<Roster> {
  const found = readRosterFile(join(root, CYCLE_ROSTER));
  return !found.ok && found.code === 'not_found' ? noRoster(join(root, CYCLE_ROSTER)) : found;
}

/**
 * The roster the lock commands go by. For each cadence the first of: the environment or the
 * configuration (`settings.rosters`), then the first file there is.
 */
export function readLockRoster(root: string, settings: LockSettings): Result<Roster> {
  const given = settings.rosters;
  for (const cadence of CADENCES) {
    const fault = given[cadence] && faultOfList(given[cadence], `the ${cadence} roster given`);
    if (fault) return fault;
  }
  if (given.daily && given.weekly) return ok({ daily: given.daily, weekly: given.weekly });
  for (const place of LOCK_ROSTERS) {
    const found = readRosterFile(join(root, place));
    if (!found.ok && found.code === 'not_found') continue;
    if (!found.ok) return found;
    return ok(byCadence((cadence) => given[cadence] ?? found.value[cadence]));
  }
  if (given.daily || given.weekly) return ok(byCadence((cadence) => given[cadence] ?? []));
  return noRoster(join(root, CYCLE_ROSTER));
}

/** Says why an agent cannot be asked for, or nothing. */
export function notInRoster(roster: Roster, cadence: Cadence, agent: string): Failure | null {
  const names = roster[cadence];
  if (names.includes(agent)) return null;
  const near = nearest(agent, names);
  return failure(
    'not_found',
    `"${agent}" is not in the ${cadence} roster`,
    near ? `did you mean "${near}"?` : `it lists: ${names.join(', ') || 'nobody'}`,
  );
}

function readRosterFile(path: string): Result<Roster> {
  const raw = readJson(path);
  if (!raw.ok) return raw;
  const parsed = rosterSchema.safeParse(raw.value);
  if (!parsed.success) {
    const { message } = explain(parsed.error.issues[0] as z.core.$ZodIssue, 'the file');
    return failure('invalid', `${path}: ${message}`, 'write {"daily": ["name"], "weekly": []}');
  }
  for (const cadence of CADENCES) {
    const fault = faultOfList(parsed.data[cadence], `${path}: ${cadence}`);
    if (fault) return fault;
  }
  return ok(parsed.data);
}

function faultOfList(names: readonly string[], where: string): Failure | null {
  const seen = new Set<string>();
  for (const name of names) {
    const fault = faultOfAgentName(name);
    if (fault) return failure('invalid', `${where}: the name "${name}" ${fault}`, 'rename it');
    if (seen.has(name)) {
      return failure('invalid', `${where} lists "${name}" twice`, 'remove one of them');
    }
    seen.add(name);
  }
  return null;
}

function noRoster(path: string): Failure {
  return failure(
    'not_found',
    `there is no roster: ${path}`,
    'run this in a repository with a roster, or make one: {"daily": ["name"], "weekly": []}',
  );
}
