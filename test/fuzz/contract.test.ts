import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type CommandName, commands } from '../../main/surfaces/contract.ts';
import { FakeClock, settle } from '../support/fake-clock.ts';
import { type HostHere, hostHere, type TestHome, testHome } from '../support/host.ts';
import { cases, valuesOf, WILD } from './arbitrary.ts';
import { digestOf, wrongWords } from './digest.ts';

const STOCK = `SKU,Name,Unit,On hand,Reorder point,Unit cost
SKU-VANILLA,Vanilla,tubs,2,8,2.50
SKU-LIME,Lime,tubs,12,12,3.00
`;
// Other programs of this machine are none of its business.
beforeAll(() => void vi.stubEnv('LULL_MODEL_PORTS', ''));
afterAll(() => void vi.unstubAllEnvs());

/** A host with something of everything, at which somebody sits. */
async function furnished(): Promise<{ home: TestHome; here: HostHere; clock: FakeClock }> {
  const home = testHome({ idleSeconds: 0, powerSource: 'mains' });
  const clock = new FakeClock();
  const here = await hostHere(home, clock);
  const { call } = here;
  const content = Buffer.from(STOCK).toString('base64');
  await call('stock.import', { name: 'stock.csv', content });
  await call('watch.add', { id: 'taken', sku: 'SKU-VANILLA' });
  const rule = { kind: 'interval', everySeconds: 60, first: 0 } as const;
  await call('schedule.add', { id: 'taken', prompt: 'Look.', rule });
  await call('jobs.add', { text: 'Wait for a lull.' });
  await call('secrets.set', { name: 'taken', value: 'a secret of ours' });
  await here.calm();
  return { home, here, clock };
}

/** Parts of an inventory file, put together in any order. */
const CELLS = fc.oneof(
  fc.constantFrom(
    'SKU',
    'Name',
    'On hand',
    'Reorder point',
    'Unit cost',
    'A',
    '2',
    '-1',
    '1,5',
    '€2',
  ),
  fc.constantFrom('"', '""', '"a', '\ufeff', '\u0000', '=1', '1e9', '99999999999999999999', ''),
  fc.string({ maxLength: 8 }),
);
const FILE = fc.oneof(
  fc
    .tuple(
      fc.constantFrom(',', ';', '\t'),
      fc.constantFrom('\n', '\r\n', '\r'),
      fc.array(fc.array(CELLS)),
    )
    .map(([comma, end, rows]) => Buffer.from(rows.map((row) => row.join(comma)).join(end))),
  fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.from(bytes)),
  // A good file with one bite taken out and something else put in.
  fc
    .tuple(fc.nat(STOCK.length), fc.nat(30), CELLS)
    .map(([at, bite, more]) => Buffer.from(STOCK.slice(0, at) + more + STOCK.slice(at + bite))),
);
const IMPORT = fc.record(
  {
    name: fc.constantFrom('stock.csv', 'x', '../../etc'),
    content: FILE.map((bytes) => bytes.toString('base64')),
    dryRun: fc.boolean(),
    map: fc.dictionary(fc.constantFrom('sku', 'name', 'onHand', '__proto__'), CELLS, {
      maxKeys: 2,
    }),
  },
  { requiredKeys: ['name', 'content'] },
);

/** Commands with what is given to them. */
const NAMES = Object.keys(commands) as CommandName[];
const ASKED = fc.oneof(
  {
    weight: 12,
    arbitrary: fc
      .constantFrom(...NAMES)
      .chain((name) => fc.tuple(fc.constant<string>(name), valuesOf(commands[name].input))),
  },
  { weight: 3, arbitrary: fc.tuple(fc.constant('stock.import'), IMPORT) },
  { weight: 1, arbitrary: fc.tuple(fc.oneof(fc.string(), fc.constantFrom(...NAMES)), WILD) },
);

describe('the contract under fire', () => {
  it('D8 no input of any command breaks the host, is half stored, or is refused in unclear words', async () => {
    const { home, here, clock } = await furnished();
    const tried = { good: 0, refused: 0 };
    await fc.assert(
      fc.asyncProperty(ASKED, async ([name, input]) => {
        await here.calm();
        await settle();
        const before = digestOf(home);
        const answer = here.host.dispatch(name, input);
        await clock.advance(0);
        const reply = await answer;
        if (reply.ok) {
          tried.good += 1;
          return;
        }
        tried.refused += 1;
        const said = reply.hint === undefined ? reply.message : `${reply.message} - ${reply.hint}`;
        expect({ name, code: reply.code, said, wrong: wrongWords(said) }).toMatchObject({
          ...{ code: expect.not.stringMatching('failed'), wrong: null },
        });
        expect({ name, said, stored: digestOf(home) === before ? 'nothing' : 'something' }).toEqual(
          {
            ...{ name, said, stored: 'nothing' },
          },
        );
      }),
      cases(400),
    );
    // Both kinds were met, or it has shown little.
    expect(tried.good).toBeGreaterThan(tried.refused / 20);
    expect(tried.refused).toBeGreaterThan(tried.good / 20);
    expect((await here.host.dispatch('status', {})).ok).toBe(true);
  }, 600_000);
});
