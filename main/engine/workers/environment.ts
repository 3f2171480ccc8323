import { workerFailpoint } from '../../base/failpoint.ts';

/** What of the host's environment a worker needs: how times and texts are written, nothing else. */
const KEPT = ['TZ', 'LANG', 'LC_ALL', 'LC_TIME', 'LC_NUMERIC'] as const;

/** The pruned environment of the n-th worker: no path, no home, no secret that a shell has set. */
export function workerEnvironment(
  own: Readonly<NodeJS.ProcessEnv>,
  n: number,
): Record<string, string> {
  const failpoint = workerFailpoint(n);
  return {
    ...Object.fromEntries(
      KEPT.flatMap((name) => (own[name] === undefined ? [] : [[name, own[name]]])),
    ),
    ...(failpoint === null ? {} : { LULL_FAILPOINT: failpoint }),
  };
}

/** V8's heap gets three quarters of a worker's memory, so that it fails before the whole is passed. */
export function heapFlag(memoryMb: number): string {
  return `--max-old-space-size=${Math.floor(memoryMb * 0.75)}`;
}
