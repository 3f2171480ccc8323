import { attempt, known, type Reading } from '../reading.ts';
import { type Framework, once } from './framework.ts';

const PRESSURE = 'kern.memorystatus_vm_pressure_level';
const STATISTICS = 'host_statistics64';

/** The flavour of the statistics and how many 32-bit words it has; newer systems may add some. */
const HOST_VM_INFO64 = 4;
const WORDS = 38;
const ROOM = 256;

/** Where struct vm_statistics64 keeps its counts of pages, in words. */
const FREE = 0;
const ACTIVE = 1;
const INACTIVE = 2;
const WIRED = 3;
const PURGEABLE = 22;
const SPECULATIVE = 23;
const COMPRESSOR = 32;
const THROTTLED = 33;
const EXTERNAL = 34;

export interface Memory {
  pressure(): Reading<'normal' | 'warn' | 'critical'>;
  /** What the system could give without compressing or swapping, in decimal GB. */
  availableGb(): Reading<number>;
}

const LEVELS: ReadonlyMap<number, 'normal' | 'warn' | 'critical'> = new Map([
  [1, 'normal'],
  [2, 'warn'],
  [4, 'critical'],
]);

export function memory(system: Framework): Memory {
  const byName = once(() => sysctlOf(system));
  const host = once(() => hostOf(system));

  function sysctl(name: string, bytes: 4 | 8): number {
    const call = byName();
    const value = Buffer.alloc(8);
    const length = new BigUint64Array([BigInt(bytes)]);
    if (call(name, value, length, null, 0) !== 0) throw new Error(`this macOS has no ${name}`);
    // By what came, not by what was asked for: it may be less.
    return length[0] === 4n ? value.readUInt32LE() : Number(value.readBigUInt64LE());
  }

  return {
    pressure: () =>
      attempt(PRESSURE, () => {
        const told = sysctl(PRESSURE, 4);
        const level = LEVELS.get(told);
        if (level === undefined) throw new Error(`it tells the unknown level ${told}`);
        return known(PRESSURE, level);
      }),
    availableGb: () =>
      attempt(STATISTICS, () => {
        const [page, all] = [sysctl('hw.pagesize', 8), sysctl('hw.memsize', 8)];
        const pages = host().pages();
        const sum = (...places: number[]) => places.reduce((n, at) => n + (pages[at] ?? 0), 0);
        // A translated process is told another size of page than the one these are counted in.
        const counted = sum(FREE, ACTIVE, INACTIVE, WIRED, COMPRESSOR, THROTTLED) * page;
        if (counted < all / 2 || counted > all * 1.1) {
          throw new Error('the pages it counts do not make up the memory of this Mac');
        }
        // Speculative pages are counted as free and, being of files, as external.
        const available = sum(FREE, EXTERNAL, PURGEABLE) - sum(SPECULATIVE);
        return known(STATISTICS, (Math.max(0, available) * page) / 1e9);
      }),
  };
}

type Sysctl = (
  name: string,
  old: Buffer,
  length: BigUint64Array,
  set: null,
  setLength: number,
) => number;

function sysctlOf({ find }: Framework): Sysctl {
  return find('sysctlbyname', 'int', ['str', 'void *', 'void *', 'void *', 'size_t']);
}

function hostOf({ find }: Framework): { pages(): Uint32Array } {
  const statistics = find<
    (host: number, flavour: number, to: Uint32Array, words: Uint32Array) => number
  >('host_statistics64', 'int32_t', ['uint32_t', 'int32_t', 'void *', 'void *']);
  // Each call adds a reference to the port, so it is made once.
  const port = find<() => number>('mach_host_self', 'uint32_t', [])();
  return {
    pages() {
      const words = new Uint32Array(ROOM);
      const result = statistics(port, HOST_VM_INFO64, words, new Uint32Array([WORDS]));
      if (result !== 0) throw new Error(`the kernel refuses it (${result})`);
      return words;
    },
  };
}
