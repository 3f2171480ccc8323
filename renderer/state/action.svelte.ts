import { CallError } from '../client.ts';

/** One thing the owner does: busy while it runs, then its words of success or of refusal. */
export class Action {
  busy = $state(false);
  failed = $state<string | null>(null);
  said = $state<string | null>(null);

  /** Runs `work`, unless it already runs; returns its value, or undefined when it was refused. */
  async run<T>(work: () => Promise<T>, said?: (value: T) => string | null): Promise<T | undefined> {
    if (this.busy) return undefined;
    this.busy = true;
    this.failed = null;
    this.said = null;
    try {
      const value = await work();
      this.said = said?.(value) ?? null;
      return value;
    } catch (error) {
      this.failed =
        error instanceof CallError
          ? [error.message, error.hint].filter(Boolean).join(' – ')
          : String(error);
      return undefined;
    } finally {
      this.busy = false;
    }
  }
}
