import { type Framework, framework, once } from './framework.ts';
import { SYSTEM_LIBRARIES } from './libraries.ts';

export interface RunningPrograms {
  /**
   * The first of `names` that a running program has, whatever its case; an empty text for none. `now`
   * is wall time, epoch ms. Throws a sentence where programs cannot be listed.
   */
  find(names: readonly string[], now: number): string;
}

/** PROC_PIDPATHINFO_MAXSIZE. */
const LONGEST_PATH = 4096;
/** Room for processes that start between the count and the list. */
const SPARE = 64;
/** A process takes its name after it was made: names this young are read again. */
const YOUNG_MS = 10_000;
/** Numbers are used again: after so long all is read anew. */
const TRUST_MS = 60_000;

/**
 * Running programs by the name of their file, which Activity Monitor shows, too. The path is told for
 * the processes of every user; the kernel's own name of a process is cut at 32 bytes. What is known is
 * kept for a while, so that a look costs a list and the names of the new ones.
 */
export function runningPrograms(path: string = SYSTEM_LIBRARIES.system): RunningPrograms {
  const libproc = once(() => functionsOf(framework(path)));
  const known = new Map<number, { name: string; since: number }>();
  const buffer = Buffer.alloc(LONGEST_PATH);
  let readAt = Number.NEGATIVE_INFINITY;

  function list(): Set<number> {
    const { pids } = libproc();
    const room = new Int32Array(Math.max(0, pids(null, 0)) + SPARE);
    const count = pids(room, room.byteLength);
    if (count <= 0) throw new Error('macOS lists no processes');
    return new Set(room.subarray(0, count));
  }

  function look(now: number): void {
    if (now < readAt || now - readAt >= TRUST_MS) {
      known.clear();
      readAt = now;
    }
    const alive = list();
    for (const pid of alive) {
      const one = known.get(pid);
      if (one && now - one.since >= YOUNG_MS) continue;
      // 0 for one that has ended since, and for the kernel.
      const length = libproc().pathOf(pid, buffer, buffer.length);
      const name = length > 0 ? buffer.toString('utf8', 0, length).split('/').at(-1) : '';
      known.set(pid, { name: (name ?? '').toLowerCase(), since: one?.since ?? now });
    }
    for (const pid of known.keys()) if (!alive.has(pid)) known.delete(pid);
  }

  return {
    find(names, now) {
      look(now);
      const running = new Set([...known.values()].map(({ name }) => name));
      return names.find((name) => running.has(name.toLowerCase())) ?? '';
    },
  };
}

function functionsOf({ find }: Framework) {
  return {
    /** How many there are; writes their numbers where it is given room, of so many bytes. */
    pids: find<(to: Int32Array | null, bytes: number) => number>('proc_listallpids', 'int', [
      'void *',
      'int',
    ]),
    pathOf: find<(pid: number, to: Buffer, bytes: number) => number>('proc_pidpath', 'int', [
      'int',
      'void *',
      'uint32_t',
    ]),
  };
}
