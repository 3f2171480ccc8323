import { attempt, known, type Reading, unknown } from '../reading.ts';
import type { CoreFoundation, Ref } from './core-foundation.ts';
import { type Framework, once } from './framework.ts';

const SOURCE = 'login session';
const DISPLAYS = 'displays';
/** More displays than any Mac drives. */
const MOST_DISPLAYS = 32;

export interface SessionReadings {
  /** Whether there is a graphical session. Without one the window server is not to be asked. */
  exists: boolean;
  /** The screen is locked, or another user has the console. */
  locked: Reading<boolean>;
  /** Somebody watches by the system's own screen sharing. */
  shared: Reading<boolean>;
  displayAsleep: Reading<boolean>;
}

export interface Session {
  read(): SessionReadings;
}

/** The graphical session of this user and its displays. */
export function loginSession(graphics: Framework, cf: CoreFoundation): Session {
  const copySession = once(() =>
    graphics.find<() => Ref | null>('CGSessionCopyCurrentDictionary', 'void *', []),
  );
  const displays = once(() => displayFunctionsOf(graphics));

  function readFlags(): Pick<SessionReadings, 'locked' | 'shared'> {
    const copy = copySession();
    return cf.scope((own) => {
      const dictionary = own(copy());
      if (dictionary === null) throw new Error('there is no graphical session');
      const { flag } = cf.fields(cf.expectDictionary(dictionary, 'what macOS gives'));
      return {
        locked: attempt(SOURCE, () => {
          const elsewhere = flag('kCGSSessionOnConsoleKey') === false;
          // Not documented, and missing while the screen is unlocked.
          return known(SOURCE, elsewhere || flag('CGSSessionScreenIsLocked') === true);
        }),
        shared: attempt(SOURCE, () => known(SOURCE, flag('CGSSessionScreenIsShared') === true)),
      };
    });
  }

  /** With the lid closed the display of a desk may be on, so all of them are asked. */
  function readDisplays(): Reading<boolean> {
    const { list, isAsleep } = displays();
    const ids = new Uint32Array(MOST_DISPLAYS);
    const count = new Uint32Array(1);
    const result = list(MOST_DISPLAYS, ids, count);
    if (result !== 0) throw new Error(`macOS does not list them (${result})`);
    const online = [...ids.subarray(0, count[0])];
    if (online.length === 0) throw new Error('none is connected');
    return known(
      DISPLAYS,
      online.every((id) => isAsleep(id) !== 0),
    );
  }

  return {
    read() {
      const flags = attempt<ReturnType<typeof readFlags>>(SOURCE, () => known(SOURCE, readFlags()));
      if (flags.ok) {
        return { exists: true, ...flags.value, displayAsleep: attempt(DISPLAYS, readDisplays) };
      }
      const displayAsleep = unknown(DISPLAYS, flags.reason);
      return { exists: false, locked: flags, shared: flags, displayAsleep };
    },
  };
}

/** boolean_t is 4 bytes; only 0 and not 0 matter. */
function displayFunctionsOf({ find }: Framework) {
  return {
    list: find<(most: number, ids: Uint32Array, count: Uint32Array) => number>(
      'CGGetOnlineDisplayList',
      'int32_t',
      ['uint32_t', 'void *', 'void *'],
    ),
    isAsleep: find<(id: number) => number>('CGDisplayIsAsleep', 'int32_t', ['uint32_t']),
  };
}
