import { type MachineReadings, readMachine } from '../../../native/index.ts';
import type { Clock } from '../../base/clock.ts';
import { FACTS, type Facts, type FactsSource, factInWords } from './facts.ts';

/** The facts as the machine itself tells them, by its native probes. */
export function machineFacts(
  clock: Clock,
  read: (now: number) => MachineReadings = readMachine,
): FactsSource {
  return {
    read() {
      const readings = read(clock.now());
      const known = FACTS.map((fact) => {
        const reading = readings[fact];
        return [fact, reading.ok ? reading.value : null];
      });
      return Object.fromEntries(known) as Facts;
    },
    doctor() {
      const readings = read(clock.now());
      return FACTS.map((fact) => {
        const reading = readings[fact];
        const { source } = reading;
        return reading.ok
          ? { fact, source, value: factInWords(reading.value), reason: null }
          : { fact, source, value: null, reason: reading.reason };
      });
    },
    watch: () => () => {},
  };
}
