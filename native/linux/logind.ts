import { known, type Reading, unknown } from '../reading.ts';
import { type BusObject, connectSystemBus, type MessageBus } from './sd-bus.ts';

const SOURCE = 'logind';

const SERVICE = 'org.freedesktop.login1';

const MANAGER: BusObject = {
  service: SERVICE,
  path: '/org/freedesktop/login1',
  interface: 'org.freedesktop.login1.Manager',
};

/** The caller's own session, or the one its user sees: the host may run as a service of the user. */
const SESSION = session('/org/freedesktop/login1/session/auto');

function session(path: string): BusObject {
  return { service: SERVICE, path, interface: 'org.freedesktop.login1.Session' };
}

export interface LoginReadings {
  /** Seconds since the last input, or, where `idleIsExact` is false, since the session said so. */
  idleSeconds: Reading<number>;
  idleIsExact: boolean;
  locked: Reading<boolean>;
  /** Somebody is logged in over the network. */
  remote: Reading<boolean>;
  /** `x11`, `wayland`, `tty` …; null where that is not known. */
  type: string | null;
}

export interface Login {
  /** `now` is wall time, epoch ms. */
  read(now: number): LoginReadings;
  close(): void;
}

/** The login session, asked over the system bus. */
export function loginSession(env: NodeJS.ProcessEnv): Login {
  let bus: MessageBus | null = null;
  const close = (): void => {
    bus?.close();
    bus = null;
  };
  return {
    read(now) {
      try {
        bus ??= connectSystemBus(env);
        return readLogins(bus, now);
      } catch (error) {
        if (bus && !bus.alive()) close();
        const nothing = unknown(SOURCE, (error as Error).message);
        return {
          idleSeconds: nothing,
          idleIsExact: false,
          locked: nothing,
          remote: nothing,
          type: null,
        };
      }
    },
    close,
  };
}

function readLogins(bus: MessageBus, now: number): LoginReadings {
  const remote = known(SOURCE, anyRemote(bus));
  const own = readOwnSession(bus, now);
  return { ...own, remote };
}

/** A host that runs as a service of the system has no session; that leaves the rest readable. */
function readOwnSession(bus: MessageBus, now: number): Omit<LoginReadings, 'remote'> {
  try {
    const type = bus.text(SESSION, 'Type');
    const hint = bus.boolean(SESSION, 'IdleHint');
    const since = bus.number(SESSION, 'IdleSinceHint') / 1000;
    const locked = known(SOURCE, bus.boolean(SESSION, 'LockedHint'));
    const idleSeconds = idleOf(type, hint, since, now);
    return { idleSeconds, idleIsExact: type === 'tty', locked, type };
  } catch (error) {
    const nothing = unknown(SOURCE, (error as Error).message);
    if (!bus.alive()) throw error;
    return { idleSeconds: nothing, idleIsExact: false, locked: nothing, type: null };
  }
}

function anyRemote(bus: MessageBus): boolean {
  const paths = bus.lastFields(MANAGER, 'ListSessions', 'susso');
  return paths.some((path) => {
    try {
      return bus.boolean(session(path), 'Remote') && bus.text(session(path), 'State') !== 'closing';
    } catch (error) {
      if (!bus.alive()) throw error;
      return false; // it has ended since
    }
  });
}

/**
 * What the hint says. A desktop sets it after its own delay, so while it is not set a graphical
 * session is not known to be busy: some desktops never set it at all. For a terminal logind gives the
 * time of the last key, whatever the hint.
 */
function idleOf(type: string, hint: boolean, since: number, now: number): Reading<number> {
  if ((hint || type === 'tty') && since > 0) {
    return known(SOURCE, Math.max(0, (now - since) / 1000));
  }
  return unknown(SOURCE, 'the session has not said that it is idle');
}
