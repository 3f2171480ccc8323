import type { Machine, MachineReadings } from './machine.ts';
import { unknown } from './reading.ts';

const FACTS = [
  'idleSeconds',
  'onBattery',
  'percent',
  'charging',
  'draining',
  'powerSource',
  'locked',
  'displayAsleep',
  'displayAssertion',
  'micInUse',
  'remote',
  'lowPower',
  'thermal',
  'pressure',
  'memAvailableGb',
] as const satisfies ReadonlyArray<keyof MachineReadings>;

/** A platform without probes: every reading is unknown, with the reason. */
export function unavailableMachine(platform: string): Machine {
  const reading = unknown(platform, `Lull has no probes for ${platform} yet`);
  const readings = Object.fromEntries(FACTS.map((fact) => [fact, reading]));
  return {
    read: () => readings as unknown as MachineReadings,
    close() {},
  };
}
