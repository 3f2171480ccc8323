import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ICruiseResult } from 'dependency-cruiser';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/store.ts';

const root = join(import.meta.dirname, '../..');
const ROOMS = ['main', 'native', 'renderer'];

/** Checks the rooms below `folder` by the project's own rules, as `npm run lint` does. */
function cruise(folder: string): ICruiseResult {
  const checker = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs');
  const config = join(root, '.dependency-cruiser.mjs');
  const run = spawnSync(
    process.execPath,
    [checker, '--config', config, '--output-type', 'json', ...ROOMS],
    { cwd: folder, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
  );
  if (run.stdout === '') throw new Error(run.stderr);
  return JSON.parse(run.stdout);
}

/** Each breach once, as `rule: from → to`, sorted. */
function breachesIn({ summary }: ICruiseResult, folder: string): string[] {
  const found = summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`);
  return [...new Set([...found, ...typesOfComponents(folder)])].sort();
}

/**
 * The checker sees a component as it is compiled, without the types it imports: what a component
 * names outside the renderer is looked up in its text, and only the contract may be named.
 */
function typesOfComponents(folder: string): string[] {
  return globSync('renderer/**/*.svelte', { cwd: folder }).flatMap((from) => {
    const text = readFileSync(join(folder, from), 'utf8');
    const named = [...text.matchAll(/['"](\.\.?\/[^'"\s]+)['"]/g)].map((match) =>
      join(dirname(from), match[1] as string),
    );
    return named
      .filter((to) => /^(main|native)\//.test(to) && to !== 'main/surfaces/contract.ts')
      .map((to) => `renderer-knows-only-the-contract: ${from} → ${to}`);
  });
}

const LAYERS = ['base', 'engine', 'work', 'desk', 'surfaces'];

/** Files that break one rule each; `to` is what the checker names, `text` what the file says. */
const BREACHES: { rule: string; from: string; to: string; text: string }[] = [
  ...LAYERS.flatMap((layer, index) =>
    [...LAYERS.slice(index + 1).map((above) => `main/${above}/room.ts`), 'main/compose.ts'].map(
      (to, n) => ({
        rule: `${layer}-imports-only-below`,
        from: `main/${layer}/climbs-${n}.ts`,
        to,
        // Every other one takes a type alone, which the compiler would drop.
        text: `${n % 2 ? 'export type' : 'export'} { A } from '../../${to}';`,
      }),
    ),
  ),
  {
    // A cycle is named once, by its first file.
    rule: 'no-circular',
    from: 'main/base/egg.ts',
    to: 'main/base/hen.ts',
    text: `import type { Hen } from './hen.ts';\nexport interface Egg { from: Hen }`,
  },
  {
    rule: 'not-resolvable',
    from: 'main/base/lost.ts',
    to: './nowhere.ts',
    text: `export * from './nowhere.ts';`,
  },
  {
    rule: 'electron-only-in-its-surface',
    from: 'main/surfaces/http/window.ts',
    to: 'node_modules/electron/index.js',
    text: `export * from 'electron';`,
  },
  {
    rule: 'sqlite-only-in-the-store',
    from: 'main/engine/queries.ts',
    to: 'node_modules/better-sqlite3/index.js',
    text: `export * from 'better-sqlite3';`,
  },
  {
    rule: 'koffi-only-in-native',
    from: 'main/engine/calls.ts',
    to: 'node_modules/koffi/index.js',
    text: `export * from 'koffi';`,
  },
  {
    rule: 'native-stands-alone',
    from: 'native/leans.ts',
    to: 'main/base/room.ts',
    text: `export { A } from '../main/base/room.ts';`,
  },
  {
    rule: 'renderer-knows-only-the-contract',
    from: 'renderer/parts/Peeks.svelte',
    to: 'main/base/room.ts',
    text: `<script lang="ts">import { A } from '../../main/base/room.ts';</script>{A}`,
  },
  {
    rule: 'renderer-knows-only-the-contract',
    from: 'renderer/parts/PeeksAtTypes.svelte',
    to: 'main/base/room.ts',
    text: `<script lang="ts">import type { A } from '../../main/base/room.ts'; let { a }: { a: A } = $props();</script>{a}`,
  },
  {
    rule: 'renderer-takes-types-only',
    from: 'renderer/validates.ts',
    to: 'main/surfaces/contract.ts',
    text: `export { A } from '../main/surfaces/contract.ts';`,
  },
];

/** What the rules must let pass. */
const ALLOWED: Record<string, string> = {
  ...Object.fromEntries(LAYERS.map((layer) => [`main/${layer}/room.ts`, 'export type A = 1;'])),
  ...Object.fromEntries(
    LAYERS.slice(1).map((layer, index) => [
      `main/${layer}/stands-on.ts`,
      LAYERS.slice(0, index + 1)
        .map((below) => `export type { A as ${below} } from '../${below}/room.ts';`)
        .join('\n'),
    ]),
  ),
  'main/base/hen.ts': `import type { Egg } from './egg.ts';\nexport interface Hen { lays: Egg }`,
  'main/compose.ts': `export type { A } from './surfaces/room.ts';`,
  'main/electron.ts': `export * from 'electron';`,
  'main/surfaces/electron/tray.ts': `export * from 'electron';`,
  'main/surfaces/contract.ts': 'export type A = 1;\nexport const schema = 1;',
  'main/base/store/opens.ts': `export * from 'better-sqlite3';`,
  'main/compose-probes.ts': `export { b } from '../native/calls.ts';`,
  'native/calls.ts': `export * from 'koffi';\nexport const b = 1;`,
  'renderer/parts/Shows.svelte': `<script lang="ts">import type { A } from '../../main/surfaces/contract.ts'; import { b } from './b.ts'; let { a }: { a: A } = $props();</script>{a}{b}`,
  'renderer/parts/b.ts': 'export const b = 1;',
  'renderer/client.ts': `export type { A } from '../main/surfaces/contract.ts';`,
};

function plant(): string {
  const folder = temporaryFolder();
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  const packages = ['electron', 'better-sqlite3', 'koffi'];
  const dependencies = Object.fromEntries([...packages, 'svelte'].map((name) => [name, '1.0.0']));
  put('package.json', JSON.stringify({ name: 'planted', type: 'module', dependencies }));
  put('tsconfig.json', JSON.stringify({ compilerOptions: { module: 'nodenext' } }));
  for (const name of packages) {
    put(`node_modules/${name}/package.json`, JSON.stringify({ name, version: '1.0.0' }));
    put(`node_modules/${name}/index.js`, 'exports.a = 1;');
  }
  // What a compiled component imports of its own.
  const svelte = { name: 'svelte', version: '1.0.0', exports: { './internal/*': './index.js' } };
  put('node_modules/svelte/package.json', JSON.stringify(svelte));
  put('node_modules/svelte/index.js', 'export const a = 1;');
  for (const [path, text] of Object.entries(ALLOWED)) put(path, text);
  for (const { from, text } of BREACHES) put(from, text);
  return folder;
}

describe('imports between rooms', () => {
  it('go down only, and every source file is checked', { timeout: 60_000 }, () => {
    const result = cruise(root);
    expect(breachesIn(result, root)).toEqual([]);
    const checked = new Set(result.modules.map(({ source }) => source));
    const files = ROOMS.flatMap((room) => globSync(`${room}/**/*.{ts,svelte}`, { cwd: root }));
    expect(files.filter((file) => !checked.has(file))).toEqual([]);
    // A checker that could not parse TypeScript or Svelte would find files without imports.
    const importing = result.modules.filter(({ dependencies }) => dependencies.length > 0);
    expect(importing.filter(({ source }) => source.endsWith('.ts')).length).toBeGreaterThan(100);
    expect(importing.filter(({ source }) => source.endsWith('.svelte')).length).toBeGreaterThan(0);
  });

  it('are refused where they break a rule, each rule by name, and nowhere else', () => {
    const folder = plant();
    const result = cruise(folder);
    const expected = BREACHES.map(({ rule, from, to }) => `${rule}: ${from} → ${to}`).sort();
    expect(breachesIn(result, folder)).toEqual(expected);
    const rules = result.summary.ruleSetUsed?.forbidden?.map(({ name }) => name);
    expect(new Set(BREACHES.map(({ rule }) => rule))).toEqual(new Set(rules));
  });
});
