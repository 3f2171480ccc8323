import { type GateInput, opened, type Verdict } from './gate.ts';

/**
 * Programs that the owner gives the whole machine. Which of them runs is a fact; it is only looked for
 * where the settings list any.
 */
export function exclusiveAppGate({ facts }: GateInput): Verdict {
  const app = facts.exclusiveApp;
  if (app === null) {
    return opened('apps', 'not-looked', 'No program that wants the machine to itself is known of.');
  }
  if (app === '') {
    return opened('apps', 'none-runs', 'No program runs that wants the machine to itself.');
  }
  return {
    id: 'apps',
    open: false,
    blocks: 'heavy',
    code: 'exclusive-app',
    reason: `${app} is running, and the settings give it the machine: heavy work waits for its end.`,
    waitsFor: `${app} to end`,
    waivedBy: null,
    changesAt: null,
  };
}
