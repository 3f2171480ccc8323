import type { JobDetail } from '../../main/surfaces/contract.ts';

type Happened = JobDetail['events'][number];

const YIELDED: Readonly<Record<string, string>> = {
  cancelled: 'you cancelled it',
  paused: 'you paused',
  quitting: 'Lull was stopped',
  returned: 'you came back',
  battery: 'the machine went on battery',
  floor: 'the battery was nearly empty',
  'low-power': 'Low Power Mode was turned on',
  heat: 'the machine was hot',
  memory: 'memory was scarce',
  'light-waiting': 'light work was waiting',
};

const SWEPT: Readonly<Record<string, string>> = {
  requeued: 'It is in the line again.',
  failed: 'It was not started again by itself.',
  givenUp: 'It was the third time, so it is not started again by itself.',
  cancelled: 'You had asked for its end.',
};

/** One entry of a job's story as a sentence; what is not known here is shown as it was recorded. */
export function happened({ kind, payload }: Happened): string {
  const said = (payload ?? {}) as Record<string, unknown>;
  switch (kind) {
    case 'job.coalesced':
      return 'The same was asked for again: it is done together with this.';
    case 'job.deferred':
      return `Put off: ${said.reason}`;
    case 'job.revived':
      return 'In the line again.';
    case 'job.yielded':
      return `Stopped and put back, because ${YIELDED[String(said.cause)] ?? said.cause}.`;
    case 'job.cancel-asked':
      return 'Asked to stop at its next step.';
    case 'job.cancelled':
      return 'Cancelled by you.';
    case 'job.missed':
      return 'Its time was over before it could start.';
    case 'job.swept':
      return `Lull ended without warning while it ran. ${SWEPT[String(said.fate)] ?? ''}`.trim();
    case 'job.waived':
      return 'You let it run whatever the gates said.';
    case 'stock.condition.triggered':
      return `The watch ${said.condition} saw ${said.subject} run low.`;
    case 'wake.job.enqueued':
      return `The schedule ${said.job} asked for it.`;
    default:
      return `${kind} ${JSON.stringify(payload)}`;
  }
}
