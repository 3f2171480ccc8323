import type { Tier } from '../../../main/base/config-schema.ts';
import { modelsTable } from '../../../main/base/store/models.ts';
import { createLoader, type Loader } from '../../../main/engine/models/loader.ts';
import type { ModelSettings } from '../../../main/engine/models/residency.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { temporaryStore } from '../../support/store.ts';
import { type PlainModel, PlainServer } from './plain-server.ts';

const MODELS: Record<string, PlainModel> = {
  router: { gb: 2.7 },
  helper: { gb: 6.6 },
  thinker: { gb: 17 },
  giant: { gb: 23 },
  embed: { gb: 10 },
  mystery: { gb: 5, known: false },
};
export const KEYS = {
  pinned: { tier: 'pinned', numCtx: 8192 },
  routine: { tier: 'routine', numCtx: 16_384 },
  synthesis: { tier: 'synthesis', numCtx: 32_768 },
  stretch: { tier: 'stretch', numCtx: 32_768 },
} as const;
export const go = new AbortController().signal;
export const request = { messages: [], tools: [], maxOutputTokens: 10 };

export interface DenOptions {
  tiers?: Partial<Record<Tier, string>>;
  budgetGb?: number;
  embedder?: string;
}

/** A loader on one plain server with the seed's models, on a clock of the test's own. */
export async function setUp(options: DenOptions = {}) {
  const clock = new FakeClock();
  const store = await temporaryStore(clock.now());
  const table = modelsTable(store.db);
  const den = new PlainServer(clock, { ...MODELS });
  const models = { pinned: 'router', routine: 'helper', synthesis: 'thinker', stretch: 'giant' };
  const entry = (tier: Tier) => ({
    server: 'den',
    model: { ...models, ...options.tiers }[tier],
    numCtx: KEYS[tier].numCtx,
  });
  const settings: { -readonly [K in keyof ModelSettings]: ModelSettings[K] } = {
    lineup: {
      pinned: entry('pinned'),
      routine: entry('routine'),
      synthesis: entry('synthesis'),
      stretch: entry('stretch'),
    },
    embedder: options.embedder ? { server: 'den', model: options.embedder, numCtx: 2048 } : null,
    servers: new Map([['den', den]]),
    budgetBytes: (options.budgetGb ?? 24) * 1e9,
    keepAliveMinutes: 30,
    pinnedKeepAliveMinutes: null,
  };
  const changes = { count: 0 };
  const start = (now = clock) =>
    createLoader({
      clock: now,
      table,
      settings: () => settings,
      onChange: () => {
        changes.count += 1;
      },
    });
  const actions = () =>
    table
      .recent(100)
      .reverse()
      .map((row) => `${row.action} ${row.model}`);
  return { clock, table, den, settings, loader: start(), start, actions, changes };
}

/** Lets time pass until the work is over. */
export async function over<T>(clock: FakeClock, work: Promise<T>, stepMs = 1000): Promise<T> {
  let done = false;
  const mark = work.finally(() => {
    done = true;
  });
  mark.catch(() => {});
  for (let steps = 0; !done && steps < 500; steps++) await clock.advance(stepMs);
  return work;
}

/** Begins to load the synthesis model and stops the load after a second: it may end all the same. */
export async function stopLoad(clock: FakeClock, loader: Loader): Promise<void> {
  const stop = new AbortController();
  const load = loader.ensure(KEYS.synthesis, stop.signal);
  await clock.advance(1000);
  stop.abort();
  await load;
}
