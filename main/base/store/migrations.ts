import { conditionsDefinition } from './conditions.ts';
import { cycleRunsDefinition } from './cycle-runs.ts';
import { draftsDefinition } from './drafts.ts';
import { eventsDefinition } from './events.ts';
import { intervalsDefinition } from './intervals.ts';
import { jobsDefinition } from './jobs.ts';
import { modelsDefinition } from './models.ts';
import { noticesDefinition } from './notices.ts';
import { pausesDefinition } from './pauses.ts';
import { presenceWordDefinition } from './presence-word.ts';
import { runsDefinition } from './runs.ts';
import { schedulesDefinition } from './schedules.ts';
import { snoozesDefinition } from './snoozes.ts';
import { stintsDefinition } from './stints.ts';
import { stockDefinition } from './stock.ts';
import { transcriptsDefinition } from './transcripts.ts';
import { vitalsDefinition } from './vitals.ts';

/**
 * Numbered, append-only: once released, a migration is never edited, only followed by another.
 * `user_version` of the database is the number of the last one applied.
 */
export const MIGRATIONS: readonly string[] = [
  [
    jobsDefinition,
    runsDefinition,
    eventsDefinition,
    pausesDefinition,
    stockDefinition,
    schedulesDefinition,
    conditionsDefinition,
    draftsDefinition,
    transcriptsDefinition,
    noticesDefinition,
    modelsDefinition,
  ].join('\n'),
  [
    presenceWordDefinition,
    intervalsDefinition,
    stintsDefinition,
    snoozesDefinition,
    cycleRunsDefinition,
    vitalsDefinition,
  ].join('\n'),
];
