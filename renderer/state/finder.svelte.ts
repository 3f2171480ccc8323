import type { FoundView, ModelsView } from '../../main/surfaces/contract.ts';
import type { Client } from '../client.ts';
import { Action } from './action.svelte.ts';
import type { Tier } from './models.ts';
import { now } from './now.ts';
import { Reading } from './reading.svelte.ts';

/** Loads are counted over so long. */
const WEEK_MS = 7 * 86_400_000;

/** What serves now, and what could: one for the life of the page, so that nothing is looked for twice. */
export class Finder {
  found = $state.raw<FoundView | null>(null);
  /** The last proposal has become the settings. */
  taken = $state(false);
  readonly looking = new Action();
  readonly taking = new Action();
  readonly models: Reading<ModelsView>;
  readonly #client: Client;
  #began = false;

  constructor(client: Client) {
    this.#client = client;
    this.models = new Reading(() => client.call('models.show', { since: now() - WEEK_MS }));
  }

  async look(): Promise<void> {
    const found = await this.looking.run(() => this.#client.call('models.discover', {}));
    if (!found) return;
    this.found = found;
    this.taken = false;
  }

  /** An empty Lull looks by itself, once; not where the owner has chosen. */
  async begin(): Promise<void> {
    if (this.#began) return;
    this.#began = true;
    await this.models.read();
    const { value } = this.models;
    if (value && !value.chosen && !value.forced) await this.look();
  }

  /** `memoryGb`: the owner's own figures. */
  async take(memoryGb: Partial<Record<Tier, number>>): Promise<void> {
    const models = await this.taking.run(
      () => this.#client.call('models.adopt', { memoryGb }),
      () => 'These models serve from now on.',
    );
    if (!models) return;
    this.taken = true;
    await this.models.read();
  }
}
