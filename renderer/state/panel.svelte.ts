import type { PanelView } from '../../main/surfaces/contract.ts';
import { CallError, type Client, type Connection } from '../client.ts';

/** A host that pushes without a pause is followed by its pushes alone. */
const MOST_TRIES = 4;

/** The host's view as this page has it, and whether the host is there. */
export class PanelState {
  view = $state.raw<PanelView | null>(null);
  connection = $state<Connection>('away');
  /** A sentence when the first snapshot could not be had. */
  problem = $state<string | null>(null);
  readonly #client: Client;
  #pushes = 0;
  #asking = false;
  #again = false;

  constructor(client: Client) {
    this.#client = client;
    this.view = client.first ?? null;
  }

  /**
   * Follows the host until the returned function is called. A view that did not come with the page is
   * asked for at once, and any again when the pushes are there: what happened in between is in neither.
   */
  follow(): () => void {
    if (!this.#client.first) void this.refresh();
    return this.#client.follow(
      (push) => {
        this.#pushes++;
        // A push carries whole sections and leaves out the others.
        if (this.view) this.view = { ...this.view, ...push.changed } as PanelView;
      },
      (connection) => {
        this.connection = connection;
        if (connection !== 'away') void this.refresh();
      },
    );
  }

  async refresh(): Promise<void> {
    this.#again = true;
    if (this.#asking) return;
    this.#asking = true;
    for (let tries = 0; this.#again && tries < MOST_TRIES; tries++) await this.#ask();
    this.#asking = false;
  }

  async #ask(): Promise<void> {
    this.#again = false;
    const before = this.#pushes;
    try {
      const view = await this.#client.call('panel', {});
      this.problem = null;
      // An answer that was overtaken by a push may be older than what the push said.
      if (before !== this.#pushes) this.#again = true;
      if ((before === this.#pushes || !this.view) && !isSame(view, this.view)) this.view = view;
    } catch (error) {
      this.problem = error instanceof CallError ? error.message : 'The host cannot be reached.';
    }
  }
}

/** Nothing is drawn anew for an answer that says the same. */
function isSame(a: PanelView, b: PanelView | null): boolean {
  return b !== null && JSON.stringify(a) === JSON.stringify(b);
}
