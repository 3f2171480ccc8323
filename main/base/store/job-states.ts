/**
 * The closed table of a job's life. The database repeats it as CHECKs and triggers (jobs.ts), the
 * diagram in docs/architecture.md is tested against it, and nothing else decides what may follow what.
 */
export const JOB_STATES = [
  'queued',
  'running',
  'done',
  'failed',
  'deferred',
  'cancelled',
  'missed',
] as const;

export type JobState = (typeof JOB_STATES)[number];

/** States that nothing leaves. A retry is a new job that names the old one. */
export const TERMINAL_STATES = ['done', 'failed', 'cancelled', 'missed'] as const;

/** [from, to]; `null` is birth. */
export const JOB_EDGES: ReadonlyArray<readonly [JobState | null, JobState]> = [
  [null, 'queued'],
  [null, 'deferred'], // "not before": it waits for its time
  ['queued', 'running'], // the claim, and only the claim
  ['queued', 'cancelled'],
  ['queued', 'missed'], // its window closed before it could start
  ['running', 'done'],
  ['running', 'failed'],
  ['running', 'queued'], // yielded, checkpointed, or swept after an unclean exit
  ['running', 'deferred'], // the load was refused, or a retry waits for its back-off
  ['running', 'cancelled'], // the owner's cancel, carried out at a step's end or by abort
  ['deferred', 'queued'], // revived
  ['deferred', 'cancelled'],
  ['deferred', 'missed'],
];
