/** Why a cycle was stopped, as a sentence: the reason of its signal, where one was given. */
export function whyStopped({ reason }: AbortSignal): string {
  const why = typeof reason === 'string' ? reason : null;
  return why ? `It was stopped: ${why}.` : 'It was stopped.';
}
