import fc from 'fast-check';
import { expect, it, describe as room } from 'vitest';
import { TIERS, type Tier } from '../../../main/base/config-schema.ts';
import { type Candidate, costsOf } from '../../../main/engine/models/candidates.ts';
import { cautiousBytes, estimateBytes } from '../../../main/engine/models/estimate.ts';
import { type Proposal, proposeLineup } from '../../../main/engine/models/proposal.ts';
import type { ModelShape } from '../../../main/engine/models/server.ts';

const GB = 1e9;

function shapeOf(fileBytes: number, layers = 32, over: Partial<ModelShape> = {}): ModelShape {
  return {
    architecture: 'llama',
    fileBytes,
    layers,
    kvHeads: 8,
    keyLength: 128,
    valueLength: 128,
    vocabulary: null,
    embeddingLength: 4096,
    heads: 32,
    trainedContext: 131_072,
    unusual: false,
    ...over,
  };
}

/** A model of Ollama's, whose numbers are known. */
function known(model: string, gb: number, layers = 32, over: Partial<Candidate> = {}): Candidate {
  return {
    server: 'ollama',
    title: 'Ollama',
    model,
    bytes: gb * GB,
    shape: shapeOf(gb * GB, layers),
    remote: false,
    embedding: false,
    tools: true,
    setsWindow: true,
    window: null,
    stays: false,
    ...over,
  };
}

/** A model of LM Studio's: only the size of its file is known. */
function sized(model: string, gb: number, over: Partial<Candidate> = {}): Candidate {
  return known(model, gb, 32, { server: 'lm', title: 'LM Studio', shape: null, ...over });
}

const SMALL = known('llama3.2:3b', 2.0, 28);
const MIDDLE = known('llama3.1:8b', 4.9, 32);
const LARGE = known('gemma3:27b', 17.4, 62);
const GIANT = known('llama3.3:70b', 42.5, 80);
const EMBEDDER = known('nomic-embed-text', 0.27, 12, { embedding: true });
const ALL = [EMBEDDER, GIANT, LARGE, MIDDLE, SMALL];

function names(proposal: Proposal): Record<Tier, string> | null {
  const { tiers } = proposal;
  if (!tiers) return null;
  const each = TIERS.map((tier) => [tier, `${tiers[tier].model} ${tiers[tier].numCtx}`]);
  return Object.fromEntries(each) as Record<Tier, string>;
}

room('D7 the lineup that is proposed', () => {
  it('D7 a machine of 8 GB gets one model with one window on all tiers', () => {
    const one = 'llama3.2:3b 16384';
    const proposal = proposeLineup(ALL, 8 * GB);
    expect(names(proposal)).toEqual({ pinned: one, routine: one, synthesis: one, stretch: one });
    expect(proposal.reasons).toEqual([
      'This machine has 8.0 GB of memory, of which models may use 6.0 GB.',
      'llama3.2:3b on Ollama (5.0 GB with 16,384 tokens) serves all tiers: there is no room for two models that are of use.',
    ]);
    expect(proposal.left).toContainEqual({
      server: 'ollama',
      model: 'llama3.1:8b',
      why: 'needs 7.0 GB, and models may use 6.0 GB',
    });
    expect(proposal.left).toContainEqual({
      server: 'ollama',
      model: 'nomic-embed-text',
      why: 'is for embeddings and cannot chat',
    });
  });

  it('D7 up to 12 GB there is one model though two would fit, and above it none that is smaller', () => {
    const tiny = known('llama3.2:1b', 1.3, 16);
    const models = (list: Candidate[], gb: number) => {
      const { tiers } = proposeLineup(list, gb * GB);
      return tiers && TIERS.map((tier) => tiers[tier].model);
    };
    const same = (model: string) => [model, model, model, model];
    expect(models([tiny, SMALL], 12)).toEqual(same('llama3.2:3b'));
    expect(models([tiny, SMALL], 12.1)).toEqual([
      'llama3.2:1b',
      'llama3.2:1b',
      'llama3.2:3b',
      'llama3.2:3b',
    ]);
    // The two that fit beside each other would be less than the one that fits alone.
    expect(models([tiny, SMALL, MIDDLE], 12)).toEqual(same('llama3.1:8b'));
    expect(models([tiny, SMALL, MIDDLE], 12.1)).toEqual(same('llama3.1:8b'));
    expect(models([tiny, SMALL, MIDDLE], 14)?.[0]).toBe('llama3.2:1b');
  });

  it('D7 a machine of 16 GB gets a small model that stays and one beside it', () => {
    expect(names(proposeLineup(ALL, 16 * GB))).toEqual({
      pinned: 'llama3.2:3b 8192',
      routine: 'llama3.2:3b 8192',
      synthesis: 'llama3.1:8b 8192',
      stretch: 'llama3.1:8b 8192',
    });
  });

  it('D7 a machine of 32 GB gets the large one alone for stretch; one of 64 GB has it beside', () => {
    expect(names(proposeLineup(ALL, 32 * GB))).toEqual({
      pinned: 'llama3.2:3b 16384',
      routine: 'llama3.2:3b 16384',
      synthesis: 'llama3.1:8b 32768',
      stretch: 'gemma3:27b 16384',
    });
    const proposal = proposeLineup(ALL, 64 * GB);
    expect(names(proposal)).toEqual({
      pinned: 'llama3.2:3b 8192',
      routine: 'llama3.1:8b 16384',
      synthesis: 'gemma3:27b 32768',
      stretch: 'gemma3:27b 32768',
    });
    expect(proposal.reasons).toEqual([
      'This machine has 64.0 GB of memory, of which models may use 48.0 GB.',
      'llama3.2:3b on Ollama (4.0 GB with 8,192 tokens) is small enough to stay in memory for short answers.',
      'llama3.1:8b on Ollama (8.1 GB with 16,384 tokens) lies between the two, for routine work.',
      'gemma3:27b on Ollama (28.3 GB with 32,768 tokens) is the largest that fits beside it.',
    ]);
    expect(names(proposeLineup(ALL, 128 * GB))?.stretch).toBe('llama3.3:70b 32768');
  });

  it('D7 a model whose numbers are not known comes with a cautious figure to confirm, in words', () => {
    const proposal = proposeLineup([sized('qwen3-8b', 5.03)], 32 * GB);
    expect(proposal.tiers?.synthesis).toEqual({
      server: 'lm',
      model: 'qwen3-8b',
      numCtx: 8192,
      bytes: 15 * GB,
      memoryGb: 15,
    });
    expect(proposal.reasons.at(-1)).toContain(
      'LM Studio does not say what memory these models use',
    );
    expect(Number(proposal.tiers?.pinned.memoryGb) * GB).toBeGreaterThanOrEqual(
      cautiousBytes(5.03 * GB, 8192),
    );
  });

  it('D7 where not even that fits, a small window is better than no model', () => {
    const proposal = proposeLineup([sized('llama-3.2-3b', 2.02), sized('qwen3-8b', 5.03)], 8 * GB);
    const one = { model: 'llama-3.2-3b', numCtx: 4096, memoryGb: 5.3 };
    for (const tier of TIERS) expect(proposal.tiers?.[tier]).toMatchObject(one);
    expect(proposal.reasons).toContain('That is a small window: long work will not fit into it.');
  });

  it('D7 the cautious figure is above what published models take, the extreme ones too', () => {
    const extremes: [string, number, ModelShape][] = [
      ['Llama 2 7B', 3.8, shapeOf(3.8 * GB, 32, { kvHeads: 32 })],
      ['Phi-3 mini', 2.2, shapeOf(2.2 * GB, 32, { kvHeads: 32, keyLength: 96, valueLength: 96 })],
      ['Llama 2 13B', 7.4, shapeOf(7.4 * GB, 40, { kvHeads: 40 })],
      ['Qwen1.5 32B', 18.5, shapeOf(18.5 * GB, 64, { kvHeads: 40 })],
      ['Command R', 20, shapeOf(20 * GB, 40, { kvHeads: 64 })],
      ['Llama 3.1 405B', 229, shapeOf(229 * GB, 126)],
    ];
    for (const [name, gb, shape] of extremes) {
      for (const numCtx of [8192, 32_768, 131_072]) {
        const exact = Number(estimateBytes(shape, numCtx));
        expect({ name, enough: cautiousBytes(gb * GB, numCtx) >= exact }).toEqual({
          name,
          enough: true,
        });
      }
    }
  });

  it('D7 models that cannot call tools are taken only where none can', () => {
    const mute = known('gemma2:9b', 5.4, 42, { tools: false });
    const proposal = proposeLineup([mute, SMALL], 12 * GB);
    expect(names(proposal)?.synthesis).toContain('llama3.2:3b');
    expect(proposal.left).toContainEqual({
      server: 'ollama',
      model: 'gemma2:9b',
      why: 'cannot call tools',
    });
    const alone = proposeLineup([mute], 16 * GB);
    expect(names(alone)?.synthesis).toContain('gemma2:9b');
    expect(alone.reasons.at(-1)).toBe(
      'gemma2:9b cannot call tools, so orders cannot be drafted with it.',
    );
  });

  it('D7 what runs elsewhere, is of unknown size or has too small a window is left, with the reason', () => {
    const proposal = proposeLineup(
      [
        known('far', 1, 10, { remote: true }),
        sized('sizeless', 0, { bytes: null, title: 'Some server' }),
        known('short', 1, 10, { shape: shapeOf(GB, 10, { trainedContext: 2048 }) }),
      ],
      32 * GB,
    );
    expect(proposal.tiers).toBeNull();
    expect(proposal.left.map((one) => one.why)).toEqual([
      'runs on another machine',
      'Some server does not say how large it is: declare its memoryGb to use it',
      'has a window of 2048 tokens, and 4096 is the least that is of use',
    ]);
    expect(proposal.reasons.at(-1)).toContain('offline model stands in');
    expect(proposeLineup([], 8 * GB)).toMatchObject({ tiers: null, left: [] });
  });

  it('D7 a model that is always in memory takes its room; where that is unknown it serves everything', () => {
    const always = {
      setsWindow: false,
      stays: true,
      window: 8192,
      title: 'llama.cpp',
      server: 'lc',
    };
    const llama = sized('qwen3-8b.gguf', 5.03, always);
    expect(names(proposeLineup([llama, SMALL, LARGE], 32 * GB))).toEqual({
      pinned: 'llama3.2:3b 16384',
      routine: 'llama3.2:3b 16384',
      synthesis: 'qwen3-8b.gguf 8192',
      stretch: 'qwen3-8b.gguf 8192',
    });
    const engine = sized('m', 0, { ...always, bytes: null, title: 'vLLM', window: 16_384 });
    const proposal = proposeLineup([engine, SMALL], 64 * GB);
    expect(names(proposal)).toEqual({
      pinned: 'm 8192',
      routine: 'm 16384',
      synthesis: 'm 16384',
      stretch: 'm 16384',
    });
    expect(proposal.tiers?.pinned).toMatchObject({ bytes: null });
    expect(proposal.left).toMatchObject([{ model: 'llama3.2:3b' }]);
  });
});

const shape = fc.record({
  layers: fc.integer({ min: 8, max: 100 }),
  kvHeads: fc.constantFrom(1, 4, 8, 32),
  trainedContext: fc.constantFrom(null, 4096, 8192, 40_960, 131_072),
  unusual: fc.boolean(),
});
const candidate = fc
  .record({
    gb: fc.oneof(
      fc.double({ min: 0.5, max: 9, noNaN: true }),
      fc.double({ min: 0.2, max: 90, noNaN: true }),
    ),
    shape: fc.option(shape, { freq: 3 }),
    remote: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, fc.constant(true)),
    embedding: fc.oneof({ weight: 5, arbitrary: fc.constant(false) }, fc.constant(true)),
    tools: fc.constantFrom(true, true, null, false),
    stays: fc.oneof({ weight: 8, arbitrary: fc.constant(false) }, fc.constant(true)),
    sizeless: fc.oneof({ weight: 8, arbitrary: fc.constant(false) }, fc.constant(true)),
  })
  .map(({ gb, shape: of, stays, sizeless, ...rest }) => {
    const bytes = Math.round(gb * GB);
    return {
      ...rest,
      remote: rest.remote && !stays,
      server: stays ? 'lc' : 'ollama',
      title: stays ? 'llama.cpp' : 'Ollama',
      bytes: sizeless ? null : bytes,
      shape: of && !sizeless ? shapeOf(bytes, of.layers, of) : null,
      setsWindow: !stays,
      window: stays ? 16_384 : null,
      stays,
    };
  });
const candidates = fc
  .array(candidate, { maxLength: 8 })
  .map((list) => list.map((one, index): Candidate => ({ ...one, model: `m${index}` })));
const ram = fc
  .oneof(fc.double({ min: 4, max: 24, noNaN: true }), fc.double({ min: 4, max: 256, noNaN: true }))
  .map((gb) => gb * GB);

/** What a tier counts for, worked out again from the numbers of the model. */
function bytesOf(list: readonly Candidate[], proposal: Proposal, tier: Tier): number {
  const proposed = proposal.tiers?.[tier];
  const one = list.find((each) => each.model === proposed?.model);
  if (!proposed || !one) return 0;
  if (proposed.memoryGb !== undefined) return Math.round(proposed.memoryGb * 10) * 1e8;
  const window = one.setsWindow ? proposed.numCtx : (one.window as number);
  return Number(estimateBytes(one.shape as ModelShape, window));
}

room('D7 the lineup that is proposed, for any models and any memory', () => {
  it('D7 never is over the budget, never more than two models, and never one that cannot serve', () => {
    fc.assert(
      fc.property(candidates, ram, (list, ramBytes) => {
        const proposal = proposeLineup(list, ramBytes);
        expect(proposal.reasons.length).toBeGreaterThan(0);
        const { tiers } = proposal;
        const chosen = new Set(tiers ? TIERS.map((tier) => tiers[tier].model) : []);
        expect(new Set(proposal.left.map((one) => one.model))).toEqual(
          new Set(list.map((one) => one.model).filter((model) => !chosen.has(model))),
        );
        if (!tiers) return;
        for (const model of chosen) {
          const one = list.find((each) => each.model === model) as Candidate;
          expect(one.embedding || one.remote).toBe(false);
        }
        if (tiers.pinned.bytes === null) return;
        const stays = list.filter((one) => one.stays);
        for (const tier of TIERS) {
          const together = new Map<string, number>();
          for (const one of stays) together.set(one.model, costsOf(one)?.cost(8192) ?? 0);
          const count = (each: Tier) => {
            const { model } = tiers[each];
            const before = together.get(model) ?? 0;
            together.set(model, Math.max(before, bytesOf(list, proposal, each)));
          };
          count(tier);
          if (tier !== 'stretch') count('pinned');
          const total = [...together.values()].reduce((sum, one) => sum + one, 0);
          expect(total).toBeLessThanOrEqual(proposal.budgetBytes);
          expect(together.size).toBeLessThanOrEqual(2);
          expect(tiers[tier].numCtx).toBeGreaterThanOrEqual(512);
        }
      }),
      { numRuns: 1500 },
    );
  });

  it('D7 more memory never gives a smaller model for heavy work, nor none where there was one', () => {
    /** None, then those that cannot call tools, then by size. */
    const rank = (list: readonly Candidate[], proposal: Proposal, tier: Tier) => {
      const model = proposal.tiers?.[tier].model;
      const one = list.find((each) => each.model === model);
      return one ? (one.bytes ?? 0) + (one.tools === false ? 0 : 1e15) : -1;
    };
    fc.assert(
      fc.property(candidates, ram, ram, (list, a, b) => {
        const less = proposeLineup(list, Math.min(a, b));
        const more = proposeLineup(list, Math.max(a, b));
        for (const tier of ['synthesis', 'stretch'] as const) {
          expect(rank(list, more, tier)).toBeGreaterThanOrEqual(rank(list, less, tier));
        }
      }),
      { numRuns: 3000 },
    );
  });

  it('D7 up to 12 GB one model serves all tiers, and the order in which models were found is no reason', () => {
    fc.assert(
      fc.property(candidates, ram, (list, ramBytes) => {
        const proposal = proposeLineup(list, ramBytes);
        if (ramBytes <= 12 * GB && proposal.tiers) {
          const own = Object.values(proposal.tiers).map((one) => one.model);
          expect(new Set(own).size).toBe(1);
        }
        const sizes = new Set(list.map((one) => one.bytes));
        if (sizes.size !== list.length) return;
        expect(names(proposeLineup([...list].reverse(), ramBytes))).toEqual(names(proposal));
      }),
      { numRuns: 1500 },
    );
  });
});
