import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The kernel keeps so many bytes of a name in `comm` (TASK_COMM_LEN less its end). */
const COMM_BYTES = 15;
/** A process takes its name after it was made: names this young are read again. */
const YOUNG_MS = 10_000;
/** Numbers are used again, and programs may rename themselves: after so long a name is read anew. */
const TRUST_MS = 60_000;
/** Names no longer trusted that one look reads anew: a look is to cost less than a millisecond. */
const ANEW_AT_ONCE = 30;

export interface ProcessNames {
  /** The first of `names` that a running process has, whatever its case; an empty text for none. */
  find(names: readonly string[], now: number): string;
}

/**
 * Names of running processes, by /proc. What is known of a process is kept for a while, so that a look
 * costs a listing, the names of the young ones and some of the old. `now` is wall time, epoch ms.
 */
export function processNames(proc: string): ProcessNames {
  const known = new Map<string, { name: string; since: number; readAt: number }>();
  let lookedAt = Number.NEGATIVE_INFINITY;

  function look(now: number): void {
    if (now < lookedAt) known.clear();
    lookedAt = now;
    let anew = 0;
    const alive = new Set<string>();
    for (const pid of readdirSync(proc)) {
      if (!/^\d+$/.test(pid)) continue;
      alive.add(pid);
      const one = known.get(pid);
      if (one && now - one.since >= YOUNG_MS) {
        if (now - one.readAt < TRUST_MS || anew === ANEW_AT_ONCE) continue;
        anew += 1;
      }
      const name = nameOf(proc, pid);
      if (name !== null) known.set(pid, { name, since: one?.since ?? now, readAt: now });
    }
    for (const pid of known.keys()) if (!alive.has(pid)) known.delete(pid);
  }

  return {
    find(names, now) {
      look(now);
      const running = new Set([...known.values()].map(({ name }) => name.toLowerCase()));
      return names.find((name) => running.has(name.toLowerCase())) ?? '';
    },
  };
}

/** Null where the process has ended since, or may not be read. */
function nameOf(proc: string, pid: string): string | null {
  try {
    const comm = readFileSync(join(proc, pid, 'comm'), 'utf8').replace(/\n$/, '');
    if (Buffer.byteLength(comm) < COMM_BYTES) return comm;
    // It may be cut: the command line begins with the whole of it.
    const command = readFileSync(join(proc, pid, 'cmdline'), 'utf8').split('\0')[0] ?? '';
    const whole = command.split('/').at(-1) ?? '';
    return whole.startsWith(comm) ? whole : comm;
  } catch {
    return null;
  }
}
