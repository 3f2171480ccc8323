import { join } from 'node:path';
import type { Machine, MachineReadings } from '../machine.ts';
import { known, type Reading, unknown } from '../reading.ts';
import { thermalZones } from './heat.ts';
import { screenInhibitors } from './inhibitors.ts';
import { type LoginReadings, loginSession } from './logind.ts';
import { readAvailable, readPressure } from './memory.ts';
import { readMicrophone } from './microphone.ts';
import { readLowPower, readPower } from './power.ts';
import { xDisplay } from './x11.ts';

export interface LinuxPlaces {
  /** Where DISPLAY, WAYLAND_DISPLAY, XDG_SESSION_TYPE and the addresses of the buses are looked up. */
  env?: NodeJS.ProcessEnv;
  sys?: string;
  proc?: string;
}

/** A Linux machine, with or without a desktop. */
export function linuxMachine(places: LinuxPlaces = {}): Machine {
  const { env = process.env, sys = '/sys', proc = '/proc' } = places;
  const display = xDisplay(env);
  const login = loginSession(env);
  const inhibitors = screenInhibitors(env);
  const heat = thermalZones(join(sys, 'class/thermal'));
  return {
    read(now, keepAwakeApps = []): MachineReadings {
      const shown = display.read();
      const logged = login.read(now);
      return {
        idleSeconds: idleOf(shown.idleSeconds, logged),
        displayAsleep: shown.displayAsleep,
        locked: logged.locked,
        remote: logged.remote,
        ...readPower(join(sys, 'class/power_supply')),
        lowPower: readLowPower(sys),
        pressure: readPressure(proc),
        memAvailableGb: readAvailable(proc),
        displayAssertion: inhibitors.read(keepAwakeApps),
        micInUse: readMicrophone(proc),
        thermal: heat.read(now),
      };
    },
    close() {
      display.close();
      login.close();
      inhibitors.close();
    },
  };
}

/**
 * Of two that know when the last input was, the smaller. A session's own word that it is idle comes
 * later than the last input, so it only counts where nothing better is known; and what an X server
 * says does not count in a Wayland session.
 */
function idleOf(x: Reading<number>, login: LoginReadings): Reading<number> {
  if (!x.ok || login.type === 'wayland')
    return login.idleSeconds.ok ? login.idleSeconds : both(x, login);
  if (!login.idleSeconds.ok || !login.idleIsExact) return x;
  return known(
    `${x.source}, ${login.idleSeconds.source}`,
    Math.min(x.value, login.idleSeconds.value),
  );
}

function both(x: Reading<number>, { idleSeconds: login }: LoginReadings): Reading<number> {
  const reasonOf = (reading: Reading<number>) =>
    reading.ok ? 'not believed in a Wayland session' : reading.reason;
  return unknown(
    `${x.source}, ${login.source}`,
    `${x.source}: ${reasonOf(x)}; ${login.source}: ${reasonOf(login)}`,
  );
}
