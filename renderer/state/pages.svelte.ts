import { untrack } from 'svelte';
import { Action } from './action.svelte.ts';

const PAGE = 50;
/** The most rows the host gives at once. */
const MOST = 500;

/** A long list, fetched page by page from its newest end. `fetch` gets the last row so far. */
export class Pages<T> {
  rows = $state.raw<readonly T[]>([]);
  /** There is no further row. */
  end = $state(false);
  readonly action = new Action();
  readonly #fetch: (last: T | undefined, limit: number) => Promise<T[]>;
  #stale = false;

  constructor(fetch: (last: T | undefined, limit: number) => Promise<T[]>) {
    this.#fetch = fetch;
  }

  async more(): Promise<void> {
    if (this.end || this.action.busy) return;
    const page = await this.action.run(() => this.#fetch(this.rows.at(-1), PAGE));
    if (page) {
      this.rows = [...this.rows, ...page];
      this.end = page.length < PAGE;
    }
    if (this.#stale) await this.again();
  }

  /**
   * Fetches what is shown once more, after something in it may have changed; not where somebody has
   * gone so far down that it would be more than one call. May be called from an effect, which then
   * does not depend on what happens here.
   */
  async again(): Promise<void> {
    this.#stale = true;
    if (untrack(() => this.action.busy)) return;
    while (this.#stale) {
      this.#stale = false;
      const wanted = Math.max(
        PAGE,
        untrack(() => this.rows.length),
      );
      if (wanted > MOST) return;
      const fresh = await this.action.run(() => this.#fetch(undefined, wanted));
      if (!fresh) return;
      this.rows = fresh;
      this.end = fresh.length < wanted;
    }
  }

  clear(): void {
    this.rows = [];
    this.end = false;
  }
}
