import type { ModelError, ModelFault } from '../../engine/models/server.ts';
import { treatment } from '../../engine/models/treatment.ts';
import type { Outcome } from '../../engine/supervisor/handler.ts';

const WAITING_FOR: Partial<Record<ModelFault, string>> = {
  unreachable: 'the model server cannot be reached',
  busy: 'the model server is busy',
  loading: 'the model is still loading',
  denied: 'the model server does not let Lull in',
  out_of_memory: 'the model ran out of memory',
};

/** What a model's fault does to its job: wait at no cost, try again with back-off, or fail. */
export function outcomeOfFault(error: ModelError, attempts: number, now: number): Outcome {
  const { fault, message } = error;
  const treated = treatment(fault, attempts);
  const said = `the model failed (${fault.replaceAll('_', ' ')}): ${message}`;
  switch (treated.kind) {
    case 'fail':
      return { kind: 'failed', error: said };
    case 'retry':
      return { kind: 'retry', error: said, afterMs: treated.afterMs };
    case 'wait':
    case 'defer': {
      const code = `model-${fault.replaceAll('_', '-')}`;
      const reason = `${WAITING_FOR[fault] ?? 'the model did not answer'}: ${message}`;
      const reviveAt = 'afterMs' in treated ? now + treated.afterMs : null;
      return { kind: 'deferred', code, reason, reviveAt };
    }
  }
}
