import type { Config } from '../../base/config-schema.ts';
import type { RosterRepository } from '../../base/roster-schema.ts';
import type { CycleRun } from '../../base/store/cycle-runs.ts';
import type { DraftHead } from '../../base/store/drafts.ts';
import type { Schedule } from '../../engine/producers/clock/schedules.ts';
import { scheduleId } from '../../work/roster/hosted/places.ts';
import { byCadence } from '../../work/roster/repository/cadence.ts';
import { readRepositoryConfig } from '../../work/roster/repository/config.ts';
import { readRoster } from '../../work/roster/repository/roster.ts';
import { scheduleRow } from './producers.ts';
import { oneLine } from './text.ts';

export interface CyclesInput {
  roster: Config['roster'];
  schedules: readonly Schedule[];
  runs: readonly CycleRun[];
  draftsOf: (job: number) => DraftHead[];
  env: NodeJS.ProcessEnv;
}

/** The repositories with their rosters as they are now, and the last runs. */
export function cyclesView(input: CyclesInput) {
  const { lock, relays, repositories } = input.roster;
  return {
    lock,
    relays,
    repositories: repositories.map((one) => repositoryRow(one, input)),
    runs: input.runs.map((run) => runRow(run, input.draftsOf)),
  };
}

function repositoryRow(entry: RosterRepository, { schedules, env }: CyclesInput) {
  const { path, consent, platform, model, prepare } = entry;
  const roster = readRoster(path);
  const config = readRepositoryConfig(path, env);
  const fault = !roster.ok ? roster.message : config.ok ? null : config.message;
  return {
    ...{ path, platform, model, prepare },
    consent: consent && { at: consent.at, said: oneLine(consent.said, 4096) },
    fault: fault === null ? null : oneLine(fault, 500),
    cadences: byCadence((cadence) => {
      const schedule = schedules.find(({ id }) => id === scheduleId(path, cadence));
      return {
        roster: roster.ok ? roster.value[cadence] : [],
        paused: config.ok ? config.value.scheduler.paused[cadence] : [],
        schedule: schedule?.enabled ? scheduleRow(schedule) : null,
      };
    }),
  };
}

function runRow(run: CycleRun, draftsOf: (job: number) => DraftHead[]) {
  const draft =
    run.head === null ? undefined : draftsOf(run.job).find((one) => one.kind === 'cycle');
  const line = (text: string | null) => (text === null ? null : oneLine(text, 500));
  return {
    id: run.id,
    job: run.job,
    repository: run.repository,
    cadence: run.cadence,
    startedAt: run.startedAt,
    endedAt: run.endedAt,
    status: run.status ?? ('running' as const),
    agent: line(run.agent),
    reason: line(run.reason),
    detail: line(run.detail),
    draft: draft?.id ?? null,
  };
}
