import type { PanelView } from '../../main/surfaces/contract.ts';
import type { Client } from '../client.ts';
import { CallError } from '../client.ts';

/** The host's view as this page has it, and whether the host is there. */
export class PanelState {
  view = $state.raw<PanelView | null>(null);
  connected = $state(false);
  /** A sentence when the first snapshot could not be had. */
  problem = $state<string | null>(null);
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  /** Follows the host until the returned function is called; each reconnection starts anew. */
  follow(): () => void {
    return this.#client.follow(
      (push) => {
        // A push carries whole sections and leaves out the others.
        if (this.view) this.view = { ...this.view, ...push.changed } as PanelView;
      },
      (connected) => {
        this.connected = connected;
        if (connected) void this.refresh();
      },
    );
  }

  async refresh(): Promise<void> {
    try {
      this.view = await this.#client.call('panel', {});
      this.problem = null;
    } catch (error) {
      this.problem = error instanceof CallError ? error.message : 'The host cannot be reached.';
    }
  }
}
