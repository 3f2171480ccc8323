import { known, type Reading, unknown } from '../reading.ts';
import { type BusObject, connectSessionBus, type MessageBus } from './sd-bus.ts';

const SOURCE = 'session manager';

const SERVICE = 'org.gnome.SessionManager';

const MANAGER: BusObject = {
  service: SERVICE,
  path: '/org/gnome/SessionManager',
  interface: SERVICE,
};

/** Of an inhibitor's flags: the session is not to be called idle, so the screen stays on. */
const KEEPS_AWAKE = 8;

export interface ScreenInhibitors {
  /** Whether a program that is not named in `keepAwakeApps` keeps the screen on. */
  read(keepAwakeApps: readonly string[]): Reading<boolean>;
  close(): void;
}

/**
 * Who keeps the screen on, as for a film, by the list that the session managers of GNOME, Cinnamon and
 * MATE keep (gnome-session, org.gnome.SessionManager); what programs ask of org.freedesktop.ScreenSaver
 * or of the desktop's portal is in it. The reasons that programs give are not read: they may hold the
 * titles of what is watched.
 */
export function screenInhibitors(env: NodeJS.ProcessEnv): ScreenInhibitors {
  let bus: MessageBus | null = null;
  const close = (): void => {
    bus?.close();
    bus = null;
  };
  return {
    read(keepAwakeApps) {
      try {
        bus ??= connectSessionBus(env);
        if (!bus.isOwned(SERVICE)) return unknown(SOURCE, 'this desktop keeps no list of them');
        const holders = holdersOn(bus, keepAwakeApps);
        if (holders.length === 0) return known(SOURCE, false);
        return known(`${SOURCE}, for ${holders.join(', ')}`, true);
      } catch (error) {
        if (bus && !bus.alive()) close();
        return unknown(SOURCE, (error as Error).message);
      }
    },
    close,
  };
}

function holdersOn(bus: MessageBus, keepAwakeApps: readonly string[]): string[] {
  const ignored = new Set(keepAwakeApps.map((name) => name.toLowerCase()));
  const names = bus.paths(MANAGER, 'GetInhibitors').flatMap((path) => {
    const inhibitor = { service: SERVICE, path, interface: `${SERVICE}.Inhibitor` };
    try {
      if ((bus.askNumber(inhibitor, 'GetFlags') & KEEPS_AWAKE) === 0) return [];
      const app = bus.askText(inhibitor, 'GetAppId');
      return namesOf(app).some((name) => ignored.has(name)) ? [] : [app || 'a program'];
    } catch (error) {
      if (!bus.alive()) throw error;
      return []; // it has ended since
    }
  });
  return [...new Set(names)];
}

/** By what a program can be listed: its whole id, and the last word of it. */
function namesOf(app: string): string[] {
  const id = app.toLowerCase().replace(/\.desktop$/, '');
  return [id, id.split(/[./]/).at(-1) ?? id];
}
