import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';

const ASSETS = join(import.meta.dirname, '..', '..', 'dist', 'renderer', 'assets');

describe('the built panel', () => {
  it('D8 its script is at most 60 kB when packed, and is the one for use, not for development', () => {
    const scripts = readdirSync(ASSETS).filter((name) => name.endsWith('.js'));
    const texts = scripts.map((name) => readFileSync(join(ASSETS, name), 'utf8'));
    const packed = texts.reduce((sum, text) => sum + gzipSync(text).length, 0);
    expect(packed).toBeGreaterThan(10_000);
    expect(packed).toBeLessThanOrEqual(60_000);
    expect(texts.join('')).not.toContain('await_reactivity_loss');
  });
});
