import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/store.ts';
import { alphaOf } from './desktop.ts';

const ICONS = join(import.meta.dirname, '..', '..', 'resources', 'icons');
const STATES = ['idle', 'working', 'waiting', 'paused', 'needs-you'] as const;

/** The alpha of all pixels, row by row. */
function pixels(name: string): number[] {
  const { size, at } = alphaOf(join(ICONS, name));
  return Array.from({ length: size * size }, (_, i) => at(i % size, Math.floor(i / size)));
}

it.each([16, 18])('D1 every state has a template of %i pixels and one of twice that', (size) => {
  for (const state of STATES) {
    expect(alphaOf(join(ICONS, `tray-${state}-${size}Template.png`)).size).toBe(size);
    expect(alphaOf(join(ICONS, `tray-${state}-${size}Template@2x.png`)).size).toBe(2 * size);
  }
});

it('D1 any two states differ by a fifth of their ink at least, at the smallest size', () => {
  for (const one of STATES) {
    for (const other of STATES.filter((state) => state > one)) {
      const [a, b] = [one, other].map((state) => pixels(`tray-${state}-16Template.png`));
      const differs = a?.reduce((sum, alpha, i) => sum + Math.abs(alpha - (b?.[i] ?? 0)), 0) ?? 0;
      const ink = a?.reduce((sum, alpha) => sum + alpha, 0) ?? 0;
      expect({ one, other, share: differs / ink }).toEqual({
        one,
        other,
        share: expect.toSatisfy((share: number) => share > 0.2),
      });
    }
  }
});

it('D1 a template has no colour: only its alpha is drawn', () => {
  for (const name of readdirSync(ICONS).filter((file) => /Template(@2x)?\.png$/.test(file))) {
    expect(pixels(name).some((alpha) => alpha === 255)).toBe(true);
  }
});

it('D1 the icons are what draw.mjs draws, on any machine', () => {
  const copy = join(temporaryFolder(), 'icons');
  cpSync(ICONS, copy, { recursive: true, filter: (path) => !/\.(png|icns)$/.test(path) });
  const run = spawnSync(process.execPath, [join(copy, 'draw.mjs')], { encoding: 'utf8' });
  expect(run.stderr).toBe('');
  const pictures = readdirSync(copy, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.png'),
  );
  expect(pictures.length).toBe(5 * 6 + 8);
  for (const name of pictures) {
    const [drawn, kept] = [copy, ICONS].map((folder) => readFileSync(join(folder, name)));
    expect(drawn?.equals(kept as Buffer), name).toBe(true);
  }
}, 60_000);
