import type { Clock } from '../../base/clock.ts';
import type { Config } from '../../base/config-schema.ts';
import type { Job } from '../queue/job.ts';
import type { FactsSource } from './facts.ts';
import type { Admittance, GateInput } from './gate.ts';
import { admittance, nextChange } from './list.ts';
import { wakeTracker } from './wake-tracker.ts';

export interface GatesParts {
  clock: Clock;
  facts: FactsSource;
  config: () => Config;
  pauses: { get(): GateInput['pauses'] };
  /** The owner's own word on presence, while it lasts; without it the probes alone decide. */
  word?: { get(now: number): GateInput['override'] };
}

/** The gates in service: each look takes one snapshot and lets every gate decide from it. */
export interface Gates {
  /** `inFlight` is the job that uses the worker model now, if any. */
  look(now: number, inFlight: { job: Job } | null): Admittance & { input: GateInput };
  /** When the clock alone may change a verdict of the last look, epoch ms; null when it cannot. */
  nextChange(): number | null;
}

export function createGates({ clock, facts, config, pauses, word }: GatesParts): Gates {
  const wakes = wakeTracker(clock);
  let last: Admittance | null = null;
  return {
    look(now, inFlight) {
      const input: GateInput = {
        facts: facts.read(),
        now,
        config: config(),
        pauses: pauses.get(),
        inFlight: inFlight && {
          key: { tier: inFlight.job.tier, numCtx: inFlight.job.numCtx },
          jobId: inFlight.job.id,
          title: inFlight.job.title,
        },
        awakeSeconds: wakes.awakeSeconds(),
        override: word?.get(now) ?? null,
      };
      const looked = { ...admittance(input), input };
      last = looked;
      return looked;
    },
    nextChange: () => last && nextChange(last.verdicts),
  };
}
