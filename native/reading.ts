/** One native reading: a value, or the reason why there is none; `source` says where it was looked for. */
export type Reading<T> =
  | { ok: true; value: T; source: string }
  | { ok: false; reason: string; source: string };

export function known<T>(source: string, value: T): Reading<T> {
  return { ok: true, value, source };
}

export function unknown(
  source: string,
  reason: string,
): { ok: false; reason: string; source: string } {
  return { ok: false, reason, source };
}

/** Runs a probe; whatever it throws becomes its reason. */
export function attempt<T>(source: string, probe: () => Reading<T>): Reading<T> {
  try {
    return probe();
  } catch (error) {
    return unknown(source, reasonOf(error));
  }
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return 'it does not exist here';
  if (code === 'EACCES' || code === 'EPERM') return 'Lull may not read it';
  return message ?? String(error);
}
