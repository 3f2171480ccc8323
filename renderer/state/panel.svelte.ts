import type { PanelView } from '../../main/surfaces/contract.ts';
import { CallError, type Client, type Connection } from '../client.ts';

/** A host that pushes without a pause is taken as it is. */
const MOST_TRIES = 4;

/** The host's view as this page has it, and whether the host is there. */
export class PanelState {
  view = $state.raw<PanelView | null>(null);
  connection = $state<Connection>('away');
  /** A sentence when the first snapshot could not be had. */
  problem = $state<string | null>(null);
  readonly #client: Client;
  #pushes = 0;

  constructor(client: Client) {
    this.#client = client;
  }

  /** Follows the host until the returned function is called; each reconnection starts anew. */
  follow(): () => void {
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
    try {
      for (let tries = 0; tries < MOST_TRIES; tries++) {
        const before = this.#pushes;
        const view = await this.#client.call('panel', {});
        this.problem = null;
        // An answer that was overtaken by a push may be older than what the push said.
        if (before !== this.#pushes && tries < MOST_TRIES - 1) continue;
        this.view = view;
        return;
      }
    } catch (error) {
      this.problem = error instanceof CallError ? error.message : 'The host cannot be reached.';
    }
  }
}
