import type { Invariant } from '../invariant.ts';
import type { Occurrences, Rule } from '../occurrences.ts';
import { oracleOf } from '../oracle.ts';
import type { Change, Changes, JobRow, ScheduleRow } from '../rows.ts';
import type { World } from '../world.ts';

/** What falls due, and what becomes of it. */
export function producerInvariants(world: World, occurrences: Occurrences): Invariant[] {
  const oracle = oracleOf(world);
  const born = (changes: readonly Change<JobRow>[], prefix: string) =>
    changes.flatMap(({ before, after }) =>
      before === null && after?.source?.startsWith(prefix) ? [after] : [],
    );

  return [
    {
      name: 'every occurrence is accounted for once',
      onCommit({ schedules, jobs }) {
        const known = () => {
          const born = new Set(jobs.flatMap(({ before, after }) => (before ? [] : after?.id)));
          return [...world.shadow.jobs.values()].filter(({ id }) => !born.has(id));
        };
        for (const { before, after } of schedules) {
          const fault = before && after && scheduleFault(before, after, occurrences, jobs, known);
          if (fault) return `schedule ${after.id}: ${fault}`;
        }
        for (const { before, after } of jobs) {
          if (before !== null || !after?.source?.startsWith('job:')) continue;
          const occurrence = occurrenceOf(after);
          if (!occurrence) return `job ${after.id} is of ${after.source}, which is no occurrence`;
          const { schedule: id, revision, due } = occurrence;
          const schedule = world.shadow.schedules.get(id);
          if (!schedule) return `job ${after.id} is of schedule ${id}, which is not there`;
          if (schedule.revision !== revision)
            return `job ${after.id} is of revision ${revision}, and the schedule is at ${schedule.revision}`;
          if (!occurrences.includes(JSON.parse(schedule.rule) as Rule, due))
            return `job ${after.id} is for ${due}, when the schedule was not due`;
          if (due > world.time.wall) return `job ${after.id} came before it was due`;
        }
      },
    },
    {
      name: 'one job for each shortage',
      onCommit({ stock_conditions, jobs }, rows) {
        for (const { before, after } of stock_conditions) {
          if (!before || !after) continue;
          const need = rows.need(after.subject);
          if (after.generation !== before.generation) {
            const made = born(jobs, `stock-condition:${after.id}:${after.generation}`);
            if (after.generation !== before.generation + 1 || made.length !== 1)
              return `${after.id} goes to episode ${after.generation} with ${made.length} jobs`;
            if (!before.armed) return `${after.id} makes work a second time for one shortage`;
            if (after.armed) return `${after.id} made work and is still armed`;
            if (!need) return `${after.id} makes work, and nothing of ${after.subject} is missing`;
          }
          const armedAgain = after.armed && !before.armed && after.enabled === before.enabled;
          if (armedAgain && need !== 0) return `${after.id} is armed although ${need} are missing`;
        }
        const made = born(jobs, 'stock-condition:');
        const moved = stock_conditions.filter(
          ({ before, after }) => after && before?.generation !== after.generation,
        );
        if (made.length > moved.length) return `job ${made[0]?.id} has no episode of its own`;
      },
    },
    {
      name: 'a pause keeps what is due',
      onCommit(changes, rows) {
        if (!oracle.pausedAll(rows)) return;
        const made = [...born(changes.jobs, 'job:'), ...born(changes.jobs, 'stock-condition:')][0];
        if (made) return `${made.source} is admitted in a pause of everything`;
        const moved = changes.schedules.find(
          ({ before, after }) =>
            before &&
            after &&
            before.next_due !== after.next_due &&
            before.updated_at === after.updated_at,
        );
        if (moved?.after) return `schedule ${moved.after.id} moves on in a pause of everything`;
      },
    },
    {
      name: 'the queue stays within its bounds',
      onCommit({ jobs }) {
        for (const { before, after } of jobs) {
          if (before !== null || !after?.source || after.class === 'housekeeping') continue;
          const { lightCapacity, heavyCapacity } = world.hosts.config.queue;
          const most = after.class === 'heavy' ? heavyCapacity : lightCapacity;
          const open = [...world.shadow.jobs.values()].filter(
            (job) => job.class === after.class && OPEN.has(job.state),
          ).length;
          if (open > most)
            return `job ${after.id} is admitted as number ${open} of ${most} ${after.class} jobs`;
        }
      },
    },
  ];
}

const OPEN = new Set(['queued', 'running', 'deferred']);

function scheduleFault(
  before: ScheduleRow,
  after: ScheduleRow,
  occurrences: Occurrences,
  jobs: Changes['jobs'],
  known: () => readonly JobRow[],
): string | null {
  const rule = JSON.parse(before.rule) as Rule;
  const counted =
    after.admitted_count +
    after.coalesced_count +
    after.missed_count -
    (before.admitted_count + before.coalesced_count + before.missed_count);
  const closed = jobs.filter(
    (job) =>
      job.after?.state === 'missed' && job.before?.state !== 'missed' && isOf(job.after, after),
  ).length;
  const made = jobs.filter(
    ({ before, after: job }) => before === null && job && isOf(job, after),
  ).length;
  const admitted = after.admitted_count - before.admitted_count;
  if (admitted !== made - closed)
    return `${made} jobs were admitted, ${closed} closed, and ${admitted} counted`;

  const from = before.next_due;
  const edited = before.revision !== after.revision;
  const turned = before.enabled !== after.enabled;
  if (!edited && !turned) {
    if (from === null || after.next_due === from)
      return counted === 0 ? null : `counts ${counted} without moving`;
    const to = after.next_due ?? Number.POSITIVE_INFINITY;
    if (to < from) return `goes back from ${from} to ${to}`;
    // Where the clock went back, one that was admitted before comes again, and is not counted again.
    const again = known().filter((job) => {
      const occurrence = occurrenceOf(job);
      const isIts = occurrence?.schedule === after.id && occurrence.revision === after.revision;
      return isIts && occurrence.due >= from && occurrence.due < to;
    }).length;
    const passed = occurrences.between(rule, from, to) - again;
    return counted === passed ? null : `${passed} occurrences pass and ${counted} are counted`;
  }
  const ruleStays = before.rule === after.rule;
  if (edited && ruleStays)
    return counted === 0 && after.next_due === from ? null : 'an edit of words moves it';
  const open = from === null ? 0 : occurrences.between(rule, from, after.updated_at + 1);
  if (counted !== open) return `${open} occurrences were open and ${counted} are counted`;
  if (after.next_due === null || after.enabled === 0) return null;
  const next = JSON.parse(after.rule) as Rule;
  const isNext =
    after.next_due > after.updated_at &&
    occurrences.includes(next, after.next_due) &&
    occurrences.between(next, after.updated_at + 1, after.next_due) === 0;
  return isNext ? null : `${after.next_due} is not its next occurrence after ${after.updated_at}`;
}

function isOf(job: JobRow, schedule: ScheduleRow): boolean {
  return occurrenceOf(job)?.schedule === schedule.id;
}

/** The occurrence that a job was admitted for; `due` in epoch ms. Null where it has another source. */
function occurrenceOf({ source }: JobRow) {
  const [, schedule, revision, due] = /^job:(.*)@(\d+):(\d+)$/.exec(source ?? '') ?? [];
  return schedule ? { schedule, revision: Number(revision), due: Number(due) } : null;
}
