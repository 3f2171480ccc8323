import type { Invariant } from '../invariant.ts';
import type { Change, JobRow } from '../rows.ts';
import { DAY } from '../timeline.ts';
import type { World } from '../world.ts';

/** From → to, as the papers draw it. */
const EDGES = new Set(
  `→queued →deferred queued→running queued→cancelled queued→missed running→done running→failed
   running→queued running→deferred running→cancelled deferred→queued deferred→cancelled
   deferred→missed`.split(/\s+/),
);
const FINAL = new Set(['done', 'failed', 'cancelled', 'missed']);

/** The life of a job, from row to row. */
export function lifeInvariants(world: World): Invariant[] {
  const sources = new Map<string, number>();
  const completed = new Set<number>();

  return [
    {
      name: 'no job is lost',
      onCommit({ jobs }) {
        for (const { before, after } of jobs) {
          if (after !== null || before === null) continue;
          const why = whyKept(before);
          if (why) return `job ${before.id} was removed although ${why}`;
        }
      },
      atEnd() {
        const open = [...world.shadow.jobs.values()].filter(({ state }) => !FINAL.has(state));
        const [job] = open;
        if (job) {
          const why = job.reason_code ?? '';
          return `${open.length} jobs have not ended, job ${job.id} (${job.tier}) is ${job.state} ${why}`;
        }
      },
    },
    {
      name: 'no job is completed twice',
      onCommit({ jobs, transcripts }) {
        for (const { before, after } of jobs) {
          const move = edgeOf({ before, after });
          if (move && !EDGES.has(move)) return `job ${after?.id} goes ${move}`;
          if (before && after && FINAL.has(before.state) && outcomeOf(before) !== outcomeOf(after))
            return `job ${after.id} had ended and was changed: ${outcomeOf(before)} → ${outcomeOf(after)}`;
          if (after?.state !== 'done' || before?.state === 'done') continue;
          if (completed.has(after.id)) return `job ${after.id} is completed a second time`;
          completed.add(after.id);
        }
        for (const { before, after } of transcripts) {
          if (before !== null || after === null) continue;
          const all = [...world.shadow.transcripts.values()].filter(({ job }) => job === after.job);
          const whole = all.filter(({ status }) => status !== 'failed');
          if (whole.length > 1) return `job ${after.job} has ${whole.length} transcripts`;
          if (!FINAL.has(world.shadow.jobs.get(after.job)?.state ?? ''))
            return `job ${after.job} has a transcript and has not ended`;
        }
      },
    },
    {
      name: 'no occurrence is admitted twice',
      onCommit({ jobs }) {
        for (const { before, after } of jobs) {
          if (before !== null || !after?.source) continue;
          const other = sources.get(after.source);
          if (other !== undefined) return `${after.source} became job ${other} and job ${after.id}`;
          sources.set(after.source, after.id);
        }
      },
    },
    {
      name: 'a claim is fenced by its number',
      onCommit({ jobs }) {
        for (const { before, after } of jobs) {
          if (!before || !after) continue;
          const starts = after.state === 'running' && before.state !== 'running';
          if (starts && after.claim_no !== before.claim_no + 1)
            return `job ${after.id} is claimed as #${after.claim_no} after #${before.claim_no}`;
          if (!starts && after.claim_no !== before.claim_no)
            return `the claim number of job ${after.id} changes while it is ${after.state}`;
        }
      },
    },
    {
      name: "the owner's cancel is carried out",
      onCommit({ jobs }) {
        for (const { before, after } of jobs) {
          if (before?.state !== 'running' || before.cancel_asked_at === null || !after) continue;
          if (after.state === 'queued' || after.state === 'deferred')
            return `job ${after.id} was cancelled while it ran, and is ${after.state} again`;
        }
      },
    },
    {
      name: 'attempts are given back',
      onCommit({ jobs }) {
        for (const { before, after } of jobs) {
          if (!before || !after) continue;
          const fault = attemptsFault(before, after);
          if (fault) return `job ${after.id} (${edgeOf({ before, after })}): ${fault}`;
        }
      },
    },
  ];

  function whyKept(job: JobRow): string | null {
    if (!FINAL.has(job.state) || job.finished_at === null) return `it is ${job.state}`;
    const { keepFinishedDays, keepFinishedCount } = world.hosts.config.queue;
    const age = world.time.wall - job.finished_at;
    if (age < keepFinishedDays * DAY && world.shadow.jobs.size < keepFinishedCount)
      return `it ended ${Math.round(age / DAY)} days ago`;
    const waits = [...world.shadow.drafts.values()].find(
      (draft) =>
        draft.job === job.id && !['applied', 'dismissed', 'superseded'].includes(draft.state),
    );
    return waits ? `its draft ${waits.id} is ${waits.state}` : null;
  }
}

function edgeOf({ before, after }: Change<JobRow>): string | null {
  if (!after || before?.state === after.state) return null;
  return `${before?.state ?? ''}→${after.state}`;
}

function outcomeOf({ state, finished_at, error, attempts }: JobRow): string {
  return `${state} at ${finished_at}, ${attempts} attempts, ${error ?? 'no error'}`;
}

/**
 * A claim counts an attempt. Giving way and a refused load give it back; a failure of the work and an
 * unclean end of the host spend it.
 */
function attemptsFault(before: JobRow, after: JobRow): string | null {
  const change = after.attempts - before.attempts;
  const is = (wanted: number) =>
    change === wanted ? null : `attempts ${before.attempts} → ${after.attempts}`;
  if (before.state === after.state) return is(0);
  if (after.state === 'running') return is(1);
  if (before.state !== 'running') return is(0);
  if (after.state === 'queued') return is(after.unclean_exits > before.unclean_exits ? 0 : -1);
  if (after.state === 'deferred') return is(after.reason_code === 'retry' ? 0 : -1);
  return is(0);
}
