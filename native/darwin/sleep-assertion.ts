import { attempt, known, type Reading } from '../reading.ts';
import { coreFoundation } from './core-foundation.ts';
import { framework, once } from './framework.ts';
import { type Libraries, SYSTEM_LIBRARIES } from './libraries.ts';

const SOURCE = 'a power assertion';

/** IOPMLib.h: a longer name is refused. */
const LONGEST_NAME = 128;

export interface SleepAssertion {
  /** Takes the assertion, or takes it anew for its whole time; what it is called is seen by `pmset`. */
  take(name: string): Reading<string>;
  /** Safe where none is held, or where its time is over. */
  release(): void;
}

/**
 * Lull's own assertion against idle sleep of the system; the display may sleep. powerd ends it after
 * `seconds`, and with this process, however that ends (IOKit, IOPMLib.h).
 */
export function sleepAssertion(
  seconds: number,
  libraries: Pick<Libraries, 'coreFoundation' | 'ioKit'> = SYSTEM_LIBRARIES,
): SleepAssertion {
  const cf = coreFoundation(framework(libraries.coreFoundation));
  const ioKit = framework(libraries.ioKit);
  const create = once(() => {
    const text = 'void *';
    return ioKit.find<(...values: unknown[]) => number>(
      'IOPMAssertionCreateWithDescription',
      'int32_t',
      [text, text, text, text, text, 'double', text, 'void *'],
    );
  });
  const end = once(() =>
    ioKit.find<(id: number) => number>('IOPMAssertionRelease', 'int32_t', ['uint32_t']),
  );
  let held = 0;

  function make(name: string): number {
    const id = new Uint32Array(1);
    try {
      const [type, action] = [cf.key('PreventUserIdleSystemSleep'), cf.key('TimeoutActionRelease')];
      const called = cf.key(name.slice(0, LONGEST_NAME));
      const result = create()(type, called, null, null, null, seconds, action, id);
      if (result !== 0) throw new Error(`macOS refuses it (0x${(result >>> 0).toString(16)})`);
    } finally {
      cf.close();
    }
    return id[0] as number;
  }

  function release(): void {
    if (held !== 0) end()(held); // an error says that its time was over
    held = 0;
  }

  return {
    take: (name) =>
      attempt(SOURCE, () => {
        end(); // what cannot be released is not taken
        const next = make(name);
        release(); // the new one is there first
        held = next;
        return known(SOURCE, 'it can');
      }),
    release,
  };
}
