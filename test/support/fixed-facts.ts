import { FACTS, type Facts, type FactsSource, factsSchema } from '../../main/engine/gates/facts.ts';

/** Facts that a test owns; what is not given is unknown. `set` changes some of them, and says so. */
export function fixedFacts(
  given: Partial<Facts> = {},
): FactsSource & { set(change: Partial<Facts>): void } {
  let facts = factsSchema.parse(given);
  const listeners = new Set<() => void>();
  return {
    read: () => facts,
    doctor: () =>
      FACTS.map((fact) => ({
        fact,
        source: 'fixed by the test',
        value: facts[fact] === null ? null : String(facts[fact]),
        reason: facts[fact] === null ? 'not given' : null,
      })),
    watch(changed) {
      listeners.add(changed);
      return () => listeners.delete(changed);
    },
    set(change) {
      facts = factsSchema.parse({ ...facts, ...change });
      for (const changed of listeners) changed();
    },
  };
}

/** The owner is away and the machine is on mains, and everything is known: every gate is open. */
export const QUIET_NIGHT: Facts = {
  idleSeconds: 900,
  onBattery: false,
  percent: 87,
  charging: false,
  draining: false,
  powerSource: 'mains',
  locked: false,
  displayAsleep: false,
  displayAssertion: false,
  micInUse: false,
  remote: false,
  lowPower: false,
  thermal: 'nominal',
  pressure: 'normal',
  memAvailableGb: 24,
  exclusiveApp: '',
};
