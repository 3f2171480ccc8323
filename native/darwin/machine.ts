import type { Machine, MachineReadings } from '../machine.ts';
import { known, type Reading } from '../reading.ts';
import { displayAssertions } from './assertions.ts';
import { audioObjects } from './audio-objects.ts';
import { coreFoundation } from './core-foundation.ts';
import { framework } from './framework.ts';
import { inputIdle } from './idle.ts';
import { ioRegistry } from './io-registry.ts';
import { type Libraries, SYSTEM_LIBRARIES } from './libraries.ts';
import { remoteLogins } from './logins.ts';
import { memory } from './memory.ts';
import { microphone } from './microphone.ts';
import { power } from './power.ts';
import { powerSources } from './power-sources.ts';
import { processInfo } from './process-info.ts';
import { loginSession } from './session.ts';
import { smartBattery } from './smart-battery.ts';

export interface DarwinPlaces {
  libraries?: Libraries;
  /** The process whose own assertions and recordings do not count. */
  pid?: number;
  /** Whether the main thread runs a run loop of the system. */
  hasMainLoop?: boolean;
}

/** A Mac, in a graphical session or without one. Each library is opened when first needed. */
export function darwinMachine(places: DarwinPlaces = {}): Machine {
  const { libraries = SYSTEM_LIBRARIES, pid = process.pid } = places;
  const { hasMainLoop = process.versions.electron !== undefined } = places;
  const cf = coreFoundation(framework(libraries.coreFoundation));
  const ioKit = framework(libraries.ioKit);
  const graphics = framework(libraries.coreGraphics);
  const system = framework(libraries.system);
  const registry = ioRegistry(ioKit, cf);

  const session = loginSession(graphics, cf);
  const idle = inputIdle(registry, graphics);
  const supply = power(powerSources(ioKit, cf), smartBattery(registry));
  const assertions = displayAssertions(ioKit, cf, pid);
  const listens = microphone(audioObjects(framework(libraries.coreAudio), hasMainLoop), cf, pid);
  const logins = remoteLogins(system);
  const info = processInfo(framework(libraries.foundation), framework(libraries.objectiveC));
  const ram = memory(system);

  return {
    read(now, keepAwakeApps = []): MachineReadings {
      const { exists, locked, shared, displayAsleep } = session.read();
      return {
        idleSeconds: idle.read(exists),
        ...supply.read(now),
        locked,
        displayAsleep,
        displayAssertion: assertions.read(keepAwakeApps),
        micInUse: listens(),
        remote: either(shared, logins()),
        lowPower: info.lowPower(),
        thermal: info.thermal(),
        pressure: ram.pressure(),
        memAvailableGb: ram.availableGb(),
      };
    },
    close: cf.close,
  };
}

/** True where one of them is; false only where both are known to be. */
function either(a: Reading<boolean>, b: Reading<boolean>): Reading<boolean> {
  const yes = [a, b].find((reading) => reading.ok && reading.value);
  if (yes) return yes;
  if (!a.ok) return a;
  return b.ok ? known(`${a.source}, ${b.source}`, false) : b;
}
