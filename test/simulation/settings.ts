import type { Build } from './machine.ts';
import type { SimModel } from './model-server.ts';
import { randomStream } from './random.ts';

/** What a run is set up with, drawn from its seed. */
export interface Setup {
  readonly start: number;
  /** Where clocks change on the fourth day, and the hour in which. */
  readonly change: { readonly zone: string; readonly hour: number };
  readonly build: Build;
  readonly models: readonly Omit<SimModel, 'reported'>[];
  readonly settings: Readonly<Record<string, unknown>>;
}

/** Three days before the clocks change somewhere, with a time that is skipped or comes twice there. */
const STARTS = [
  { date: '2026-03-05', zone: 'America/New_York', hour: 2 },
  { date: '2026-03-26', zone: 'Europe/Berlin', hour: 2 },
  { date: '2026-04-02', zone: 'Australia/Lord_Howe', hour: 1 },
  { date: '2026-10-01', zone: 'Australia/Lord_Howe', hour: 2 },
  { date: '2026-10-22', zone: 'Europe/Berlin', hour: 2 },
  { date: '2026-10-29', zone: 'America/New_York', hour: 1 },
] as const;

const LINEUPS = [
  // As proposed for a machine of 32 GB: the worker models take turns.
  {
    pinned: ['small:latest', 2.7, 8192],
    routine: ['middle:latest', 6.6, 16_384],
    synthesis: ['large:latest', 17, 32_768],
    stretch: ['huge:latest', 23, 32_768],
  },
  // One model on all tiers, as on a small machine.
  {
    pinned: ['one:latest', 5, 8192],
    routine: ['one:latest', 5, 8192],
    synthesis: ['one:latest', 5, 8192],
    stretch: ['one:latest', 5, 8192],
  },
  {
    pinned: ['small:latest', 2.7, 8192],
    routine: ['large:latest', 17, 16_384],
    synthesis: ['large:latest', 17, 16_384],
    stretch: ['large:latest', 17, 32_768],
  },
] as const;

const OTHERS = [
  { name: 'other-4:latest', gb: 4 },
  { name: 'other-12:latest', gb: 12 },
  { name: 'other-30:latest', gb: 30 },
];

export function setupOf(seed: number): Setup {
  const random = randomStream(seed, 'setup');
  const { date, ...change } = random.pick(STARTS);
  const lineup = random.pick(LINEUPS);
  const tiers = Object.fromEntries(
    Object.entries(lineup).map(([tier, [model, gb, numCtx]]) => [
      tier,
      { server: 'mac', model, numCtx, memoryGb: gb },
    ]),
  );
  const sizes = new Map<string, number>(Object.values(lineup).map(([name, gb]) => [name, gb]));
  const models = [...[...sizes].map(([name, gb]) => ({ name, gb })), ...OTHERS];
  return {
    start: Date.parse(`${date}T00:00:00Z`),
    change,
    build: random.pick(['laptop', 'laptop', 'laptop', 'desktop', 'ups'] as const),
    models,
    settings: {
      'models.servers': [{ name: 'mac', kind: 'ollama', url: 'http://127.0.0.1:11434' }],
      'models.tiers': tiers,
      'models.budgetGb': 24,
      jobBudgetsSeconds: random.chance(0.3) ? { task: 600, brief: 900 } : {},
      'workers.mode': random.chance(0.5) ? { task: 'worker', brief: 'worker' } : {},
      'queue.keepFinishedDays': random.pick([1, 3, 90]),
    },
  };
}
