import { LullError } from '../../base/errors.ts';
import type { Admit as AdmitWork, Decision, WorkRequest } from '../producers/work-request.ts';
import type { Admission, Admit } from './admission.ts';
import type { Router } from './router.ts';

/** A model server that fails or answers nonsense is asked this often before a job fails for good. */
const ATTEMPTS = 3;

/** How a kind of work carries its request. */
export type PayloadOf = (request: WorkRequest) => unknown;

/** Turns a producer's request into a job of one kind, planned by the router, and asks admission. */
export function admitWork(
  kind: string,
  payloadOf: PayloadOf,
  router: Router,
  admit: Admit,
): AdmitWork {
  return (request) => {
    const { source, session, title, subject, route, notBefore, expiresAt } = request;
    const plan = router.plan(kind, { tier: request.tier });
    const payload = payloadOf(request);
    return decision(
      admit({
        ...plan,
        source,
        session,
        title,
        subject,
        route,
        notBefore,
        expiresAt,
        payload,
        maxAttempts: ATTEMPTS,
      }),
    );
  };
}

function decision(admission: Admission): Decision {
  switch (admission.outcome) {
    case 'refused':
      return admission;
    case 'conflict':
      return { outcome: 'conflict', job: admission.job };
    case 'coalesced':
      // Only housekeeping is taken in by others, and no producer asks for that.
      throw new LullError('failed', `job ${admission.job.id} took in work of another source`);
    default:
      return { outcome: admission.outcome, job: admission.job };
  }
}
