import { writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changeConfig, readConfig } from '../../main/base/config.ts';
import { configSchema } from '../../main/base/config-schema.ts';
import { dumpOf, lullHere, testHome } from '../support/host.ts';
import { cases, valuesOf, WILD } from './arbitrary.ts';
import { wrongWords } from './digest.ts';

const GOOD = JSON.stringify({ power: { floorPercent: 30 }, models: { servers: [] } }, null, 2);

const SECTIONS = fc.subarray(Object.keys(configSchema.shape), { maxLength: 2 });

function some(value: unknown, sections: string[]): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => sections.includes(name)));
}

/** config.json as people and programs leave it. */
const TEXT = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .tuple(valuesOf(configSchema, 300), SECTIONS)
      .map(([value, sections]) => written(some(value, sections))),
  },
  { weight: 2, arbitrary: WILD.map((value) => written(value)) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 80 }) },
  {
    weight: 4,
    arbitrary: fc
      .tuple(
        fc.nat(GOOD.length),
        fc.nat(20),
        fc.constantFrom('', '{', ']', ',', '"', '\u0000', '//'),
      )
      .map(([at, bite, more]) => GOOD.slice(0, at) + more + GOOD.slice(at + bite)),
  },
);

function written(value: unknown): string {
  const text = JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? String(one) : one), 2);
  return text ?? '';
}

describe('settings under fire', () => {
  it('D6 whatever config.json holds, it is read, or refused in one line', () => {
    const home = testHome(undefined, {});
    const met = { good: 0, refused: 0 };
    fc.assert(
      fc.property(TEXT, (text) => {
        writeFileSync(home.config, text);
        const read = readConfig(home.config);
        met[read.ok ? 'good' : 'refused'] += 1;
        if (read.ok) expect(configSchema.safeParse(read.value).success).toBe(true);
        else
          expect([text, read.message, wrongWords(read.message)]).toEqual([
            text,
            read.message,
            null,
          ]);
      }),
      cases(1500),
    );
    expect(Math.min(met.good, met.refused), JSON.stringify(met)).toBeGreaterThan(100);
  });

  it('D6 a change either leaves a file that can be read, or leaves the file', () => {
    const home = testHome(undefined, {});
    const keys = fc.oneof(
      fc.constantFrom('power.floorPercent', 'models', 'models.servers', 'hours.heavy', 'power'),
      fc.constantFrom('', '.', 'a..b', '__proto__.x', 'constructor', 'models.tiers.routine.numCtx'),
      fc.string({ maxLength: 12 }),
    );
    fc.assert(
      fc.property(keys, fc.oneof(WILD, valuesOf(configSchema, 300)).map(written), (key, text) => {
        writeFileSync(home.config, GOOD);
        const value = text === '' ? undefined : JSON.parse(text);
        const set = changeConfig(home.config, { [key]: value });
        const read = readConfig(home.config);
        expect([key, read.ok]).toEqual([key, true]);
        if (set.ok) return;
        expect([key, set.message, wrongWords(set.message)]).toEqual([key, set.message, null]);
        expect(read.ok && read.value.power.floorPercent).toBe(30);
      }),
      cases(800),
    );
    expect(({} as Record<string, unknown>).x).toBeUndefined();
  });

  it('D6 a host that cannot read its settings does not start, says so in one line, and leaves no data', async () => {
    const home = testHome(undefined, {});
    await fc.assert(
      fc.asyncProperty(TEXT, async (text) => {
        writeFileSync(home.config, text);
        fc.pre(!readConfig(home.config).ok);
        const ran = await lullHere(home, ['start', '--no-open', '--model', 'offline']);
        expect([text, ran.code, ran.out]).toEqual([text, 1, '']);
        expect(ran.err).toMatch(/^lull: config\.json[^\n]+\n$/);
        expect(dumpOf(home)).toBe(null);
      }),
      { ...cases(25), numRuns: Math.min(cases(25).numRuns, 200) },
    );
  }, 120_000);
});
