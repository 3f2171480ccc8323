import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';

const PANEL = join(import.meta.dirname, '..', '..', 'dist', 'renderer');
const ASSETS = join(PANEL, 'assets');

function packedSize(texts: string[]): number {
  return texts.reduce((sum, text) => sum + gzipSync(text).length, 0);
}

describe('the built panel', () => {
  const scripts = readdirSync(ASSETS).filter((name) => name.endsWith('.js'));
  const texts = new Map(scripts.map((name) => [name, readFileSync(join(ASSETS, name), 'utf8')]));

  it('D8 its script is at most 60 kB when packed, and is the one for use, not for development', () => {
    expect(packedSize([...texts.values()])).toBeGreaterThan(10_000);
    expect(packedSize([...texts.values()])).toBeLessThanOrEqual(60_000);
    expect([...texts.values()].join('')).not.toContain('await_reactivity_loss');
  });

  it('D8 it opens with Now alone: the script of the other places comes after it', () => {
    const page = readFileSync(join(PANEL, 'index.html'), 'utf8');
    const first = [...texts].filter(([name]) => page.includes(name)).map(([, text]) => text);
    expect(first).toHaveLength(1);
    expect(packedSize(first)).toBeGreaterThan(10_000);
    expect(packedSize(first)).toBeLessThanOrEqual(36_000);
  });
});
