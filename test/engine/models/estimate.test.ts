import fc from 'fast-check';
import { expect, it, describe as room } from 'vitest';
import { cacheBytes, estimateBytes } from '../../../main/engine/models/estimate.ts';
import type { ModelShape } from '../../../main/engine/models/server.ts';

const MIB = 2 ** 20;
const GIB = 2 ** 30;

function shape(over: Partial<ModelShape> = {}): ModelShape {
  return {
    architecture: 'llama',
    fileBytes: 4_920_753_328,
    layers: 32,
    kvHeads: 8,
    keyLength: 128,
    valueLength: 128,
    vocabulary: 128_256,
    embeddingLength: 4096,
    heads: 32,
    trainedContext: null,
    unusual: false,
    ...over,
  };
}

room('S3 the memory estimate', () => {
  it('S3 agrees with cache sizes that servers have printed', () => {
    // fedora-copr/logdetective#106: 32 layers, 8 KV heads of 128, f16.
    expect(cacheBytes(shape(), 2048)).toBe(256 * MIB);
    expect(cacheBytes(shape(), 32_768)).toBe(4096 * MIB);
    // ollama/ollama#5494: Llama 3 70B.
    expect(cacheBytes(shape({ layers: 80 }), 2048)).toBe(640 * MIB);
    // ollama/ollama#6425: Llama 3.1 405B.
    expect(cacheBytes(shape({ layers: 126 }), 16_384)).toBe(8064 * MIB);
    // ggml-org/llama.cpp#18720: the windowed part of Gemma 3 27B, 1024 + 512 cells.
    expect(cacheBytes(shape({ layers: 52, kvHeads: 16 }), 1536)).toBe(624 * MIB);
    // ollama/ollama#6148: Llama 3.2 3B with four sequences: 13.7 GiB.
    const four = cacheBytes(shape({ layers: 28 }), 32_000, { sequences: 4 });
    expect(Number(four) / GIB).toBeCloseTo(13.67, 1);
  });

  it('S3 with weights and a quantised cache comes within a few per cent of what was measured', () => {
    // ollama/ollama#10128: Qwen2.5 7B Q4_K_M, 262,144 tokens, q8_0: 11.25 GiB.
    const seven = shape({ layers: 28, kvHeads: 4, fileBytes: 4.36 * GIB });
    const q8 = Number(cacheBytes(seven, 262_144, { keyBytes: 34 / 32, valueBytes: 34 / 32 }));
    expect((seven.fileBytes + q8) / GIB).toBeCloseTo(11.8, 1);
    expect((seven.fileBytes + q8) / GIB / 11.25).toBeLessThan(1.06);
    // ollama/ollama#7965: Qwen2.5 14B Q4_K_M, 88,000 tokens, q4_0: 13.24 GiB.
    const fourteen = shape({ layers: 48, fileBytes: 8.37 * GIB });
    const q4 = Number(cacheBytes(fourteen, 88_000, { keyBytes: 18 / 32, valueBytes: 18 / 32 }));
    expect((fourteen.fileBytes + q4) / GIB / 13.24).toBeGreaterThan(0.97);
    const whole = estimateBytes(fourteen, 88_000, { keyBytes: 18 / 32, valueBytes: 18 / 32 });
    expect(Number(whole) / GIB).toBeGreaterThan(13.24);
  });

  it('S3 adds the larger of 1 GiB and a tenth', () => {
    const small = shape({ fileBytes: GIB, layers: 1, kvHeads: 1 });
    expect(estimateBytes(small, 256)).toBe(2 * GIB + 256 * 512);
    const large = shape({ fileBytes: 40 * GIB });
    const held = 40 * GIB + 4096 * MIB;
    expect(estimateBytes(large, 32_768)).toBe(Math.ceil(held * 1.1));
  });

  it('S3 takes heads layer by layer, pads the window to 256 and stops at the trained one', () => {
    expect(cacheBytes(shape({ layers: 4, kvHeads: [2, 0, 2, 4] }), 256)).toBe(256 * 8 * 512);
    expect(cacheBytes(shape(), 2000)).toBe(cacheBytes(shape(), 2048));
    expect(cacheBytes(shape({ trainedContext: 8192 }), 65_536)).toBe(cacheBytes(shape(), 8192));
  });

  it('S3 is unknown, not low, for what the formula does not cover', () => {
    expect(estimateBytes(shape({ unusual: true }), 8192)).toBeNull();
    expect(estimateBytes(shape({ layers: 3, kvHeads: [8, 8] }), 8192)).toBeNull();
    expect(estimateBytes(shape({ keyLength: Number.NaN }), 8192)).toBeNull();
    expect(estimateBytes(shape({ kvHeads: -8 }), 8192)).toBeNull();
    expect(estimateBytes(shape({ fileBytes: 0 }), 8192)).toBeNull();
  });

  it('S3 never falls when the window grows, and always exceeds the file', () => {
    const window = fc.integer({ min: 1, max: 1_000_000 });
    fc.assert(
      fc.property(window, window, (a, b) => {
        const [less, more] = [Math.min(a, b), Math.max(a, b)];
        const [low, high] = [estimateBytes(shape(), less), estimateBytes(shape(), more)];
        expect(Number(low)).toBeGreaterThan(shape().fileBytes + GIB);
        expect(Number(high)).toBeGreaterThanOrEqual(Number(low));
      }),
    );
  });
});
