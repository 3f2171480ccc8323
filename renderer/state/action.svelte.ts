import { untrack } from 'svelte';
import { CallError } from '../client.ts';

/** One thing the owner does: busy while it runs, then its words of success or of refusal. */
export class Action {
  busy = $state(false);
  failed = $state<string | null>(null);
  said = $state<string | null>(null);

  /** Runs `work`, unless it already runs; returns its value, or undefined when it was refused. */
  async run<T>(work: () => Promise<T>, said?: (value: T) => string | null): Promise<T | undefined> {
    // Whoever starts this from an effect does not want to be started again by its end.
    if (untrack(() => this.busy)) return undefined;
    this.busy = true;
    this.failed = null;
    this.said = null;
    try {
      const value = await work();
      this.said = said?.(value) ?? null;
      return value;
    } catch (error) {
      this.failed = refusalText(error);
      return undefined;
    } finally {
      this.busy = false;
    }
  }
}

/** What was refused and how to mend it, as sentences. */
function refusalText(error: unknown): string {
  if (!(error instanceof CallError)) return String(error);
  return [error.message, error.hint].map(sentence).join(' ').trim();
}

function sentence(text: string | undefined): string {
  if (!text) return '';
  const begun = /^[a-z][a-z]* /.test(text) ? text[0]?.toUpperCase() + text.slice(1) : text;
  return /[.!?…]$/.test(begun) ? begun : `${begun}.`;
}
