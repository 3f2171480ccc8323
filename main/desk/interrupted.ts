import type { DraftHead, NewDraft } from '../base/store/drafts.ts';
import type { Job } from '../engine/queue/job.ts';
import type { Sweep } from '../engine/queue/queue.ts';
import type { ReportBody } from './draft-bodies.ts';
import type { Notifier } from './notices.ts';
import { moment } from './view-model/moment.ts';
import { oneLine } from './view-model/text.ts';

export interface InterruptedParts {
  drafts: {
    insert(draft: NewDraft): number;
    ofJob(job: number): DraftHead[];
  };
  notices: Pick<Notifier, 'raise'>;
  /** The owner's time zone, IANA. */
  zone: string;
}

/**
 * Tells the owner what an unclean end of an earlier run broke off: a report draft with "Run again" for
 * each job that is not started again by itself, and one notice for all. Belongs in the transaction of
 * the sweep, so that a job never ends as failed without its report. Returns the drafts' ids.
 */
export function reportInterrupted(
  parts: InterruptedParts,
  sweep: Pick<Sweep, 'failed' | 'givenUp' | 'requeued'>,
  now: number,
): number[] {
  const report = (job: Job, givenUp: boolean): number =>
    parts.drafts.insert({
      ...interruptedReport(job, givenUp, parts.zone),
      ordinal: parts.drafts.ofJob(job.id).length,
      createdAt: now,
    });
  const ids = sweep.failed.map((job) => report(job, false));
  for (const job of sweep.givenUp) {
    const id = report(job, true);
    ids.push(id);
    parts.notices.raise({ kind: 'given-up', job: job.id, title: job.title }, now, id);
  }
  const reported = sweep.failed.length;
  const requeued = sweep.requeued.length;
  if (reported + requeued > 0) {
    const run = [...sweep.failed, ...sweep.requeued][0]?.claimedByRun ?? null;
    const only = ids.length === 1 && reported === 1 ? (ids[0] ?? null) : null;
    parts.notices.raise({ kind: 'interrupted', run, reported, requeued }, now, only);
  }
  return ids;
}

/** The report of one job that was found running after an unclean end. */
export function interruptedReport(
  job: Job,
  givenUp: boolean,
  zone: string,
): Omit<NewDraft, 'createdAt'> {
  const body: ReportBody = {
    text: reportText(job, givenUp, zone),
    provenance: 'Written by Lull from its own records.',
    runAgain: job.id,
    steps: { count: 0, millis: null, tools: [] },
  };
  return {
    job: job.id,
    kind: 'report',
    title: oneLine(`Interrupted: ${job.title}`),
    subject: job.subject,
    topic: null,
    body,
    totalCents: null,
    currency: null,
    model: null,
  };
}

function reportText(job: Job, givenUp: boolean, zone: string): string {
  const run = job.claimedByRun === null ? 'A run' : `Run ${job.claimedByRun}`;
  const started = job.startedAt === null ? '' : `, begun ${moment(job.startedAt, zone)}`;
  const lines = [
    `${run} of Lull ended uncleanly while it was working on "${oneLine(job.title)}"${started}.`,
    job.checkpoint === null
      ? 'Nothing of it was kept.'
      : 'It had finished some of its steps; there is no result.',
  ];
  if (givenUp) {
    lines.push(
      `It was running at ${job.uncleanExits} unclean exits, so it may be what ends them: it is not started again by itself.`,
    );
  }
  if (job.error !== null) lines.push(`Recorded: ${oneLine(job.error)}.`);
  lines.push('Run again starts the same work anew, as a new job.');
  return lines.join('\n');
}
