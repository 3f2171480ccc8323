import { linuxMachine } from './linux/machine.ts';
import type { Machine, MachineReadings } from './machine.ts';
import { unavailableMachine } from './unavailable.ts';

export type { Machine, MachineReadings } from './machine.ts';
export type { Reading } from './reading.ts';

let machine: Machine | null = null;

/**
 * Everything this machine says of itself now. `now` is wall time, epoch ms. Never throws: what cannot
 * be read is unknown, with the reason. Connections are kept between calls.
 */
export function readMachine(now: number): MachineReadings {
  machine ??= process.platform === 'linux' ? linuxMachine() : unavailableMachine(process.platform);
  return machine.read(now);
}
