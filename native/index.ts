import { darwinMachine } from './darwin/machine.ts';
import { linuxMachine } from './linux/machine.ts';
import type { Machine, MachineReadings } from './machine.ts';
import { unavailableMachine } from './unavailable.ts';

export { hasTrayHost } from './linux/tray-host.ts';
export type { Machine, MachineReadings } from './machine.ts';
export type { Reading } from './reading.ts';
export { runningOf } from './running.ts';
export { type SystemSleepHold, systemSleepHold } from './sleep-hold.ts';

let machine: Machine | null = null;

/**
 * Everything this machine says of itself now. `now` is wall time, epoch ms; programs named in
 * `keepAwakeApps` may keep the display on without that counting. Never throws: what cannot be read is
 * unknown, with the reason. Connections are kept between calls. For the main thread only.
 */
export function readMachine(now: number, keepAwakeApps: readonly string[] = []): MachineReadings {
  machine ??= machineFor(process.platform);
  return machine.read(now, keepAwakeApps);
}

function machineFor(platform: NodeJS.Platform): Machine {
  if (platform === 'darwin') return darwinMachine();
  return platform === 'linux' ? linuxMachine() : unavailableMachine(platform);
}
