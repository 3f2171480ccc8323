import { firstFault } from '../../base/explain.ts';
import type { Claim } from '../queue/job.ts';
import { WorkerFault } from './fault.ts';
import { type WorkerMessage, workerMessage } from './protocol.ts';

/** Requests a worker may have open at once. */
const MOST_OPEN = 32;
/** Model calls for one batch: a loop that never comes to an end is not waited for. */
const MOST_CALLS = 32;
/** What needs no answer, such as progress, in one second. */
const MOST_TOLD = 200;

export interface Inbox {
  /** The message, or a WorkerFault thrown for what no worker may say. */
  take(text: string, now: number): WorkerMessage;
  /** A request was answered. */
  answered(): void;
}

/**
 * Reads what a worker says, and believes nothing: types, sizes, the job and claim it speaks for, the
 * order of its numbers, and how much it may say. `now` is monotonic milliseconds.
 */
export function inbox(claim: Pick<Claim, 'id' | 'claimNo'>): Inbox {
  let lastId = 0;
  let open = 0;
  let calls = 0;
  let ended = false;
  let told = { since: Number.NEGATIVE_INFINITY, count: 0 };

  return {
    answered() {
      open -= 1;
    },
    take(text, now) {
      const message = parse(text);
      const { type } = message;
      if (ended) throw breach(`it said "${type}" after its end`);
      if (message.job !== claim.id || message.claim !== claim.claimNo) {
        throw breach(`"${type}" is of job ${message.job}, claim ${message.claim}`);
      }
      switch (type) {
        case 'ended':
        case 'threw':
          ended = true;
          break;
        case 'progress':
          if (now - told.since >= 1000) told = { since: now, count: 0 };
          told.count += 1;
          if (told.count > MOST_TOLD) throw breach(`more than ${MOST_TOLD} messages a second`);
          break;
        default: {
          if (message.id <= lastId) throw breach(`request ${message.id} came after ${lastId}`);
          lastId = message.id;
          open += 1;
          if (open > MOST_OPEN) throw breach(`more than ${MOST_OPEN} requests at once`);
          calls = type === 'batch' ? 0 : calls + (type === 'chat' ? 1 : 0);
          if (calls > MOST_CALLS) throw breach(`more than ${MOST_CALLS} model calls for one batch`);
        }
      }
      return message;
    },
  };
}

function parse(text: string): WorkerMessage {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw breach('a message is not JSON');
  }
  const parsed = workerMessage.safeParse(value);
  if (parsed.success) return parsed.data;
  throw breach(firstFault(parsed.error, 'a message'));
}

export function breach(what: string): WorkerFault {
  return new WorkerFault('protocol', `the worker process broke its protocol: ${what}`);
}
