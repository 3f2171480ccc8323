import {
  type MachineReadings,
  type Reading,
  readMachine,
  runningOf,
} from '../../../native/index.ts';
import type { Clock } from '../../base/clock.ts';
import type { Config } from '../../base/config-schema.ts';
import { FACTS, type Facts, type FactsSource, factInWords } from './facts.ts';
import { steadyIdle } from './steady-idle.ts';

/** What is asked of the machine; a test may give its own. Neither throws. */
export interface Probes {
  readMachine(now: number, keepAwakeApps: readonly string[]): MachineReadings;
  runningOf(names: readonly string[], now: number): Reading<string>;
}

/** The facts as the machine itself tells them, by its native probes. */
export function machineFacts(
  clock: Pick<Clock, 'now' | 'monotonic'>,
  config: () => Pick<Config, 'presence' | 'exclusiveApps'>,
  probes: Probes = { readMachine, runningOf },
): FactsSource {
  const steady = steadyIdle(clock);
  function readings(): Record<keyof Facts, Reading<NonNullable<Facts[keyof Facts]>>> {
    const now = clock.now();
    const { presence, exclusiveApps } = config();
    return {
      ...probes.readMachine(now, presence.keepAwakeApps),
      exclusiveApp: probes.runningOf(exclusiveApps, now),
    };
  }

  return {
    read() {
      const raw = readings();
      const seen = { ...raw, idleSeconds: steady(raw.idleSeconds as Reading<number>) };
      const known = FACTS.map((fact) => {
        const reading = seen[fact];
        return [fact, reading.ok ? reading.value : null];
      });
      return Object.fromEntries(known) as Facts;
    },
    doctor() {
      const seen = readings();
      return FACTS.map((fact) => {
        const reading = seen[fact];
        const { source } = reading;
        return reading.ok
          ? { fact, source, value: factInWords(reading.value), reason: null }
          : { fact, source, value: null, reason: reading.reason };
      });
    },
    watch: () => () => {},
  };
}
