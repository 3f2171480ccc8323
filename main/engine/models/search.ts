import type { ConfigChanges } from '../../base/config.ts';
import type { Config, Tier } from '../../base/config-schema.ts';
import { failure, LullError, ok, type Result } from '../../base/errors.ts';
import { adoption } from './adoption.ts';
import type { Discovery } from './discovery.ts';
import { ModelError } from './server.ts';

/** Nobody looks at a wheel that turns for longer, milliseconds. */
const PATIENCE_MS = 15_000;

export interface ModelSearch {
  /** Looks for servers and models, changes nothing, and keeps what it found. Throws LullError failed. */
  discover(): Promise<Discovery>;
  /**
   * Makes the last proposal the settings, servers and tiers in one change; taken twice it is the same.
   * `memoryGb`: the owner's own figures.
   */
  adopt(memoryGb: Partial<Record<Tier, number>>): Result<Config>;
}

/** The way from what is on this machine to the settings: look, propose, and take it by the owner's word. */
export function modelSearch(parts: {
  config: () => Config;
  setConfig: (changes: ConfigChanges) => Result<Config>;
  discover: (signal: AbortSignal) => Promise<Discovery>;
}): ModelSearch {
  let last: Discovery | null = null;
  return {
    async discover() {
      try {
        last = await parts.discover(AbortSignal.timeout(PATIENCE_MS));
        return last;
      } catch (error) {
        if (!(error instanceof ModelError)) throw error;
        throw new LullError(
          'failed',
          `the model servers did not answer within ${PATIENCE_MS / 1000} s`,
          'look again when they have less to do',
        );
      }
    },

    adopt(memoryGb) {
      if (!last) {
        return failure('refused', 'nothing has been found yet', 'look for servers first');
      }
      const taken = adoption(parts.config().models, last, memoryGb);
      if (!taken) {
        return failure(
          'refused',
          'no model was found that fits this machine',
          'install one in a model server, then look again',
        );
      }
      const set = parts.setConfig({ 'models.servers': taken.servers, 'models.tiers': taken.tiers });
      return set.ok ? ok(set.value) : set;
    },
  };
}
