import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { type Clock, sleep } from '../../../base/clock.ts';

/** The variable by which a child's offspring is known again after it has left the child's group. */
export const FAMILY_MARK = 'LULL_CYCLE_CHILD';

/** A child that leads its own process group (null: not known any more), and its environment's mark. */
export interface Family {
  leader: number | null;
  mark: string;
}

/** How long the members may take to end in good order. */
const GRACE_MS = 5_000;
const LOOK_MS = 50;
/** Looks after SIGKILL: each catches what was born in the meantime. */
const MOST_LOOKS = 40;

/**
 * Ends a child and everything it started: the whole group, and who left it but carries the mark. First
 * SIGTERM, then after a grace SIGKILL. Resolves when none is left; at once when none was.
 */
export async function endFamily(family: Family, clock: Clock): Promise<void> {
  let members = await membersOf(family);
  if (members.length === 0) return;
  signalAll(family, members, 'SIGTERM');
  const end = clock.monotonic() + GRACE_MS;
  while (members.length > 0 && clock.monotonic() < end) {
    await sleep(clock, LOOK_MS);
    members = await membersOf(family);
  }
  for (let look = 0; members.length > 0 && look < MOST_LOOKS; look++) {
    signalAll(family, members, 'SIGKILL');
    await sleep(clock, LOOK_MS);
    members = await membersOf(family);
  }
}

/** Ends what is left of a cycle whose own process is gone: whatever carries its mark. */
export function endMarked(mark: string, clock: Clock): Promise<void> {
  return endFamily({ leader: null, mark }, clock);
}

function signalAll(family: Family, members: readonly number[], signal: NodeJS.Signals): void {
  // The group in one stroke first, so that nothing can fork away between two of its members.
  const group = family.leader === null ? [] : [-family.leader];
  for (const pid of [...group, ...members]) {
    try {
      process.kill(pid, signal);
    } catch {
      // it ended by itself
    }
  }
}

/** Who of the family is alive. The dead that nobody has buried yet (zombies) do not count. */
export async function membersOf(family: Family): Promise<number[]> {
  return process.platform === 'linux' ? membersInProc(family) : membersByPs(family);
}

function membersInProc({ leader, mark }: Family): number[] {
  const members: number[] = [];
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'latin1');
      const [state, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      if (state === 'Z' || state === 'X') continue;
      const known = Number(group) === leader || carries(name, mark);
      if (known) members.push(Number(name));
    } catch {
      // it ended while we looked
    }
  }
  return members;
}

function carries(pid: string, mark: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`).includes(`${FAMILY_MARK}=${mark}`);
  } catch {
    return false; // somebody else's
  }
}

async function membersByPs(family: Family): Promise<number[]> {
  const listing = await new Promise<string>((resolve) => {
    const options = { maxBuffer: 64_000_000, timeout: 5_000 };
    execFile('ps', ['-axEwwo', 'pid=,pgid=,stat=,command='], options, (_, text) => resolve(text));
  });
  return membersInListing(listing, family);
}

/** Reads what `ps -axEwwo pid=,pgid=,stat=,command=` printed. */
export function membersInListing(listing: string, { leader, mark }: Family): number[] {
  const members: number[] = [];
  for (const line of listing.split('\n')) {
    const found = line.match(/^\s*(\d+)\s+(\d+)\s+(\S+)\s/);
    if (!found || found[3]?.startsWith('Z')) continue;
    if (Number(found[2]) === leader || line.includes(`${FAMILY_MARK}=${mark}`)) {
      members.push(Number(found[1]));
    }
  }
  return members;
}
