import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { MemoryPolicy } from '../repository/config-schema.ts';

/** The markers of a policy, to be looked for in what is printed. */
export function memoryMarkers(policy: MemoryPolicy): string[] {
  const all = [...policy.retrieveSuccessMarkers, ...policy.storeSuccessMarkers];
  return [...new Set(all.map((marker) => marker.trim()).filter((marker) => marker !== ''))];
}

/**
 * Which of the two memory steps nothing speaks for: neither a marker that was `found` in the output of
 * the run, nor an artifact written since it began (epoch milliseconds).
 */
export function missingEvidence(
  policy: MemoryPolicy,
  root: string,
  found: ReadonlySet<string>,
  startedAt: number,
): ('retrieve' | 'store')[] {
  const spokenFor = (markers: readonly string[], artifacts: readonly string[]) =>
    markers.some((marker) => found.has(marker.trim())) ||
    artifacts.some((path) => writtenSince(resolve(root, path), startedAt));
  return (['retrieve', 'store'] as const).filter((step) =>
    step === 'retrieve'
      ? !spokenFor(policy.retrieveSuccessMarkers, policy.retrieveArtifacts)
      : !spokenFor(policy.storeSuccessMarkers, policy.storeArtifacts),
  );
}

/** A file that was written at that moment or later. */
export function writtenSince(path: string, at: number): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found?.isFile() === true && found.mtimeMs >= at;
}
