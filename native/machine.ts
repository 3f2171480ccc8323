import type { Reading } from './reading.ts';

/** How hot a machine is, in order. */
export const HEAT = ['nominal', 'fair', 'serious', 'critical'] as const;
export type Heat = (typeof HEAT)[number];

/** Everything a machine can say of itself and of who sits at it. Units are those of the names. */
export interface MachineReadings {
  /** Seconds since the last keyboard or pointer input. */
  idleSeconds: Reading<number>;
  onBattery: Reading<boolean>;
  /** Battery charge, 0–100. */
  percent: Reading<number>;
  charging: Reading<boolean>;
  /** The battery loses charge, whatever the plug says. */
  draining: Reading<boolean>;
  powerSource: Reading<'mains' | 'battery' | 'ups' | 'none'>;
  locked: Reading<boolean>;
  displayAsleep: Reading<boolean>;
  displayAssertion: Reading<boolean>;
  micInUse: Reading<boolean>;
  remote: Reading<boolean>;
  lowPower: Reading<boolean>;
  thermal: Reading<Heat>;
  pressure: Reading<'normal' | 'warn' | 'critical'>;
  /** Decimal gigabytes. */
  memAvailableGb: Reading<number>;
}

/** A machine that can be asked. Connections are opened when first needed and kept. */
export interface Machine {
  /**
   * `now` is wall time, epoch ms; programs named in `keepAwakeApps` may keep the display on without
   * anybody watching. Takes under 1 ms as a rule, and never throws.
   */
  read(now: number, keepAwakeApps?: readonly string[]): MachineReadings;
  /** Gives the connections back; the machine may be asked again, and then opens them anew. */
  close(): void;
}
