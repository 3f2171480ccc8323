import { type GateInput, opened, type Verdict } from './gate.ts';

/**
 * One model in flight: while a job uses the worker model, only jobs with its load key may start, and
 * the pinned tier, whose model is always resident.
 */
export function modelGate({ inFlight }: GateInput): Verdict {
  if (!inFlight) return opened('model', 'free', 'No job is using the model.');
  return {
    id: 'model',
    open: false,
    blocks: 'other-models',
    code: 'in-flight',
    reason: `One model at a time: "${inFlight.title}" is using it.`,
    waitsFor: `"${inFlight.title}" to finish`,
    waivedBy: null,
    changesAt: null,
  };
}
