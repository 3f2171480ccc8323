import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { sha256 } from '../../main/base/ids.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { hostHere, lullHere, type TestHome, testHome } from '../support/host.ts';
import { cases, WILD_TEXT } from './arbitrary.ts';
import { wrongWords } from './digest.ts';

beforeAll(() => void vi.stubEnv('LULL_MODEL_PORTS', ''));
afterAll(() => void vi.unstubAllEnvs());

/** The lines of an export that holds something of everything, without its end. */
async function goodLines(): Promise<unknown[]> {
  const home = testHome();
  const here = await hostHere(home, new FakeClock());
  const { call } = here;
  const content = Buffer.from('sku,name,on hand,reorder point,unit cost\nA,Apple,2,8,1.00\n');
  await call('stock.import', { name: 's.csv', content: content.toString('base64') });
  await call('watch.add', { id: 'low', sku: 'A' });
  await call('schedule.add', {
    ...{ id: 's', prompt: 'Look.' },
    rule: { kind: 'interval', everySeconds: 3600, first: 0 },
  });
  await call('jobs.add', { text: 'Sum up.' });
  await call('pause', { scope: 'heavy' });
  await here.calm();
  const { path } = await call('export.make', {});
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  await here.stop();
  return lines.slice(0, -1).map((line) => JSON.parse(line));
}

/** An export with these lines and the right digest: only what they say can be wrong. */
function sealed(lines: readonly unknown[]): string {
  const body = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  const rows = lines.filter(Array.isArray).length;
  return `${body}${JSON.stringify({ end: true, rows, sha256: sha256(body) })}\n`;
}

/** What JSON can carry: texts, numbers out of all bounds, and what is no cell at all. */
const WILD = fc.oneof(
  WILD_TEXT,
  fc.constantFrom<unknown>(null, true, 0, -1, 0.5, 1e15, 2 ** 53, 1e308, -1e308, [], {}),
  fc.integer(),
  fc.jsonValue({ maxDepth: 2 }),
);

/** What is done to a good export: a cell of a row, a whole line, or the order of two lines. */
const HARM = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      what: fc.constant('cell' as const),
      at: fc.nat(),
      to: fc.nat(),
      by: WILD,
    }),
  },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('twice' as const), at: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('gone' as const), at: fc.nat() }) },
  {
    weight: 1,
    arbitrary: fc.record({ what: fc.constant('line' as const), at: fc.nat(), by: WILD }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ what: fc.constant('swap' as const), at: fc.nat(), to: fc.nat() }),
  },
);
type Harm = typeof HARM extends fc.Arbitrary<infer T> ? T : never;

function harmed(good: readonly unknown[], harm: Harm): unknown[] {
  const lines = structuredClone([...good]);
  const at = harm.at % lines.length;
  if (harm.what === 'twice') lines.splice(at, 0, lines[at]);
  if (harm.what === 'gone') lines.splice(at, 1);
  if (harm.what === 'line') lines[at] = harm.by ?? null;
  if (harm.what === 'swap') {
    const to = harm.to % lines.length;
    [lines[at], lines[to]] = [lines[to], lines[at]];
  }
  if (harm.what === 'cell') {
    const rows = lines.filter(Array.isArray);
    const row = rows[harm.at % rows.length] as unknown[];
    row[harm.to % row.length] = harm.by ?? null;
  }
  return lines;
}

/** What an owner would look at next; each is answered, whatever was imported. */
const LOOKS = [
  'status',
  'jobs list',
  'drafts list',
  'schedule list',
  'watch list',
  'stock list',
  'runs',
];

async function lives(home: TestHome): Promise<void> {
  for (const look of LOOKS) {
    expect({ look, ...(await lullHere(home, look.split(' '))) }).toMatchObject({
      look,
      code: 0,
      err: '',
    });
  }
  const here = await hostHere(home, new FakeClock());
  await here.calm();
  expect(await here.host.dispatch('panel', {})).toMatchObject({ ok: true });
  await here.stop();
}

describe('an import under fire', () => {
  it('D13 D8 whatever an export says, it is taken over and can be lived with, or refused in one line', async () => {
    const good = await goodLines();
    const tried = { good: 0, refused: 0 };
    await fc.assert(
      fc.asyncProperty(HARM, async (harm) => {
        const home = testHome();
        const file = home.file('all.jsonl', '');
        writeFileSync(file, sealed(harmed(good, harm)));
        const ended = await lullHere(home, ['import', file]);
        if (ended.code === 0) {
          tried.good += 1;
          return lives(home);
        }
        tried.refused += 1;
        expect({ harm, out: ended.out, wrong: wrongWords(ended.err.trimEnd()) }).toEqual({
          harm,
          out: '',
          wrong: null,
        });
        expect([1, 3]).toContain(ended.code);
        expect(existsSync(home.database)).toBe(false);
        expect(readdirSync(home.backups)).toEqual([]);
        expect(existsSync(join(home.dir, 'restore.json'))).toBe(false);
      }),
      cases(80),
    );
    expect(tried.good).toBeGreaterThan(3);
    expect(tried.refused).toBeGreaterThan(3);
  }, 600_000);
});
