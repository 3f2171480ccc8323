import { untrack } from 'svelte';
import { Action } from './action.svelte.ts';

/**
 * Something read from the host, and read again when it may have changed: never two at once, and a
 * wish that comes in between is not lost.
 */
export class Reading<T> {
  value = $state.raw<T | null>(null);
  readonly action = new Action();
  readonly #fetch: () => Promise<T>;
  #again = false;

  constructor(fetch: () => Promise<T>) {
    this.#fetch = fetch;
  }

  /** May be called from an effect, which then does not depend on what happens here. */
  async read(): Promise<void> {
    this.#again = true;
    if (untrack(() => this.action.busy)) return;
    while (this.#again) {
      this.#again = false;
      const value = await this.action.run(this.#fetch);
      if (value !== undefined) this.value = value;
    }
  }
}
