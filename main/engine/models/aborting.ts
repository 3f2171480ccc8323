import { ModelError } from './server.ts';

/** The work's own end, or ModelError `aborted` with this text as soon as the signal says so. */
export function unlessAborted<T>(
  work: Promise<T>,
  signal: AbortSignal | undefined,
  text: string,
): Promise<T> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(new ModelError('aborted', text));
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
