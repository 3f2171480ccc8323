/** What was wrong with a worker process. */
export type WorkerFaultKind =
  | 'unstarted' // it could not be started
  | 'died' // it ended by itself, or was ended from outside, before it said how the run ended
  | 'overdue' // it computed longer than the deadline of a batch
  | 'memory' // it needed more memory than it may have
  | 'protocol' // it said what no worker may say
  | 'deaf'; // it was told to stop and did not

/** The run of a worker is over without an outcome of its own; translated in supervisor/outcome.ts. */
export class WorkerFault extends Error {
  readonly kind: WorkerFaultKind;

  constructor(kind: WorkerFaultKind, message: string) {
    super(message);
    this.name = 'WorkerFault';
    this.kind = kind;
  }
}
