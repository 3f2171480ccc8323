import { spawn } from 'node:child_process';
import { FAMILY_MARK } from './family.ts';

/** A watch over what a cycle starts, for as long as the cycle's own process lives. */
export interface Guard {
  /** The cycle is over, and has ended its children itself. */
  over(): void;
}

/** Who carries the mark: by the environments in /proc, elsewhere as ps prints them. */
const FIND =
  process.platform === 'linux'
    ? 'grep -lF "$mark" /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3'
    : 'ps -axEwwo pid=,command= | grep -F "$mark" | grep -v "grep -F" | awk \'{print $1}\'';

/** Its input ends with the cycle: with a word where that came to its end, and without one where it was killed. */
const SCRIPT = `
trap '' INT TERM HUP
read -r mark || exit 0
read -r over && exit 0
signal=TERM
left=100
while [ $left -gt 0 ]; do
  family=$(${FIND})
  [ -n "$family" ] || exit 0
  kill -$signal $family 2>/dev/null
  left=$((left - 1))
  [ $left -gt 50 ] || signal=KILL
  sleep 0.1
done
`;

/**
 * Watches over programs whose marks begin with `mark`: should this process be killed so that it can end
 * nothing any more (SIGKILL, a crash), they are ended in its place, first by SIGTERM, after five seconds by
 * SIGKILL. A small shell does it, for no system ends the children of a process with it.
 */
export function guardFamily(mark: string): Guard {
  const shell = spawn('sh', ['-c', SCRIPT], {
    cwd: '/',
    env: { PATH: process.env.PATH },
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  // Without a shell there is no guard: a cycle goes on all the same.
  shell.on('error', () => {});
  shell.stdin.on('error', () => {});
  shell.stdin.write(`${FAMILY_MARK}=${mark}\n`);
  shell.unref();
  return { over: () => void shell.stdin.end('over\n') };
}
