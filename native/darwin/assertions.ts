import { attempt, known, type Reading, unknown } from '../reading.ts';
import type { CoreFoundation, Fields, Ref } from './core-foundation.ts';
import { type Framework, once } from './framework.ts';

const SOURCE = 'power assertions';

/** The only types that keep the display on; the second is the older name of the first. */
const DISPLAY_TYPES: ReadonlySet<string> = new Set([
  'PreventUserIdleDisplaySleep',
  'NoDisplaySleepAssertion',
]);

export interface DisplayAssertions {
  /** Whether a program that is neither Lull nor named in `keepAwakeApps` keeps the display on. */
  read(keepAwakeApps: readonly string[]): Reading<boolean>;
}

/**
 * Who keeps the display on, as for a film. `pid` is Lull's own. The names that programs give to their
 * assertions are not read: they may hold the titles of what is watched.
 */
export function displayAssertions(
  library: Framework,
  cf: CoreFoundation,
  pid: number,
): DisplayAssertions {
  const copyByProcess = once(() =>
    library.find<(out: BigUint64Array) => number>('IOPMCopyAssertionsByProcess', 'int32_t', [
      'void *',
    ]),
  );

  /** Null for one that does not count. */
  function holderOf(owner: number, assertion: Ref, ignored: ReadonlySet<string>): string | null {
    const { text, integer } = cf.fields(cf.expectDictionary(assertion, 'an assertion'));
    const type = text('AssertionTrueType') ?? text('AssertType');
    if (type === null) throw new Error('an assertion does not say its type');
    if (!DISPLAY_TYPES.has(type) || integer('AssertLevel') === 0) return null;
    if (owner === pid || integer('AssertionOnBehalfOfPID') === pid) return null;
    const names = namesOf({ text });
    if (names.some((name) => ignored.has(name.toLowerCase()))) return null;
    return names[0] ?? `process ${owner}`;
  }

  return {
    read: (keepAwakeApps) =>
      attempt(SOURCE, () => {
        const copy = copyByProcess();
        const ignored = new Set(keepAwakeApps.map((name) => name.toLowerCase()));
        const holders = new Set<string>();
        const faults: string[] = [];
        const each = <T>(items: readonly T[], look: (item: T) => void): void => {
          for (const item of items) {
            try {
              look(item);
            } catch (error) {
              faults.push((error as Error).message);
            }
          }
        };
        cf.scope((own) => {
          // Left untouched where there are none, so it has to be NULL before.
          const out = new BigUint64Array(1);
          const result = copy(out);
          const processes = own(out[0] ? (out[0] as Ref) : null);
          if (result !== 0)
            throw new Error(`macOS refuses them (0x${(result >>> 0).toString(16)})`);
          if (processes === null) return;
          each(cf.pairs(processes, 'what macOS gives'), ({ key, value }) => {
            const owner = cf.integer(key, 'a process number');
            each(cf.items(value, 'what a process holds'), (assertion) => {
              const holder = holderOf(owner, assertion, ignored);
              if (holder !== null) holders.add(holder);
            });
          });
        });
        if (holders.size > 0) return known(`${SOURCE} of ${[...holders].join(', ')}`, true);
        return faults[0] === undefined ? known(SOURCE, false) : unknown(SOURCE, faults[0]);
      }),
  };
}

/**
 * By what a program can be known: where a daemon holds the assertion for it, its own bundle and that
 * bundle's last word come first.
 */
function namesOf({ text }: Pick<Fields, 'text'>): string[] {
  const bundle = text('AssertionOnBehalfOfBundleID');
  const names = [bundle?.split('.').at(-1), bundle, text('Process Name')];
  return names.filter((name) => typeof name === 'string' && name !== '') as string[];
}
