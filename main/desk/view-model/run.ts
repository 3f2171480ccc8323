import type { Run } from '../../base/store/runs.ts';

/** One life of a host, as the ledger tells it. */
export interface RunRow {
  id: number;
  version: string;
  pid: number;
  startedAt: number;
  /** For one that died: when the next one found it. */
  stoppedAt: number | null;
  /** runs · clean: stopped by itself · unclean: died, and was found by the next · dead: died, and nobody came since. */
  end: 'runs' | 'clean' | 'unclean' | 'dead';
}

/** `alive`: whether a host lives now, which can only be the newest run. */
export function runRow(
  { id, version, pid, startedAt, stoppedAt, clean }: Run,
  alive: boolean,
): RunRow {
  const open = stoppedAt === null;
  const end = open ? (alive ? 'runs' : 'dead') : clean ? 'clean' : 'unclean';
  return { id, version, pid, startedAt, stoppedAt, end };
}
