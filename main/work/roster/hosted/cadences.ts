import { basename } from 'node:path';
import type { RosterRepository, RosterSettings } from '../../../base/roster-schema.ts';
import type { Schedules } from '../../../engine/producers/clock/schedules.ts';
import { CADENCES, type Cadence } from '../repository/cadence.ts';
import { isCadenceSchedule, scheduleId, sessionOf } from './places.ts';

/** One cycle, as a job of kind `cycle` carries it. */
export interface CycleWork {
  /** The folder the owner added. */
  repository: string;
  cadence: Cadence;
}

/** How a cycle is called in lists. */
export function cycleTitle({ repository, cadence }: CycleWork): string {
  return `${cadence === 'daily' ? 'Daily' : 'Weekly'} cycle of ${basename(repository)}`;
}

/**
 * Makes the schedules say what the settings say: one for each cadence of each repository that has the
 * owner's consent; those of others are turned off. Gives what stands in the way, a sentence each.
 */
export function followCadences(
  schedules: Pick<Schedules, 'add' | 'edit' | 'enable' | 'disable' | 'list'>,
  { repositories }: Pick<RosterSettings, 'repositories'>,
): string[] {
  const problems: string[] = [];
  const known = new Map(schedules.list().map((one) => [one.id, one]));
  const wanted = new Set<string>();
  for (const entry of repositories) {
    for (const cadence of CADENCES) {
      const spec = specOf(entry, cadence);
      if (!spec) continue;
      wanted.add(spec.id);
      const { id, prompt, session, rule } = spec;
      const before = known.get(id);
      const done = before ? schedules.edit(id, { prompt, session, rule }) : schedules.add(spec);
      const on = done.ok && !done.value.enabled ? schedules.enable(id) : done;
      if (!on.ok)
        problems.push(`${cycleTitle({ repository: entry.path, cadence })}: ${on.message}`);
    }
  }
  for (const { id, enabled } of known.values()) {
    if (enabled && isCadenceSchedule(id) && !wanted.has(id)) schedules.disable(id);
  }
  return problems;
}

function specOf({ path, consent, cadences }: RosterRepository, cadence: Cadence) {
  const rule = cadences[cadence];
  if (!consent || !rule) return null;
  return {
    id: scheduleId(path, cadence),
    session: sessionOf(path),
    prompt: cycleTitle({ repository: path, cadence }),
    tier: null,
    rule,
    missed: { kind: 'coalesce' } as const,
    to: 'local',
  };
}

/** The cycle that a schedule's occurrence asks for; null for every other source. */
export function cycleOfSource(
  source: string,
  { repositories }: Pick<RosterSettings, 'repositories'>,
): CycleWork | null {
  const id = /^job:(cycle-[0-9a-f]{12}-[a-z]+)@/.exec(source)?.[1];
  if (id === undefined) return null;
  for (const { path } of repositories) {
    const cadence = CADENCES.find((one) => scheduleId(path, one) === id);
    if (cadence) return { repository: path, cadence };
  }
  return null;
}
