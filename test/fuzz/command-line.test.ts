import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { lullHere, type TestHome, testHome } from '../support/host.ts';
import { cases, WILD_TEXT } from './arbitrary.ts';
import { digestOf } from './digest.ts';

// Other programs of this machine are none of its business.
beforeAll(() => void vi.stubEnv('LULL_MODEL_PORTS', ''));
afterAll(() => void vi.unstubAllEnvs());

/** What may be typed: each command that ends by itself, with options and words of any kind. */
const COMMANDS = [
  ...['status', 'why', 'doctor', 'pause', 'resume', 'here', 'away', 'add', 'stock', 'stock import'],
  ...['stock list', 'stock adjust', 'watch add', 'watch remove', 'watch list', 'schedule add'],
  ...['schedule edit', 'schedule enable', 'schedule disable', 'schedule list', 'schedule preview'],
  ...['jobs list', 'jobs show', 'jobs cancel', 'jobs retry', 'jobs run', 'jobs history', 'jobs'],
  ...['drafts list', 'drafts show', 'drafts approve', 'drafts dismiss', 'drafts restore', 'open'],
  ...[
    'config get',
    'config set',
    'secret set',
    'secret list',
    'secret remove',
    'models',
    'metrics',
  ],
  ...['runs', 'help', 'nonsense', '', 'watch', 'schedule', 'config', 'secret', 'drafts'],
].map((line) => line.split(' ').filter(Boolean));
const WORD = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      ...[
        '1',
        '0',
        '-1',
        '#1',
        '99',
        '1.5',
        'taken',
        'SKU-VANILLA',
        'SKU-LIME',
        '08:00',
        '90m',
        '1d',
      ],
      ...[
        '--json',
        '--help',
        '--for',
        '--until',
        '--heavy',
        '--limit',
        '--state',
        '--tier',
        '--sku',
      ],
      ...['--prompt', '--every', '--cron', '--tz', '--missed', '--reason', '--event', '--files'],
      ...['--map', 'sku=SKU', '--dry-run', '--reorder-point', '--before', '--', '-n', '-h'],
      ...[
        'pending',
        'routine',
        '0 7 * * *',
        'Europe/Berlin',
        'skip',
        'power.floorPercent',
        '--home=',
      ],
    ),
  },
  { weight: 1, arbitrary: WILD_TEXT.filter((text) => !text.includes('\u0000')) },
);
const LINE = fc
  .tuple(fc.constantFrom(...COMMANDS), fc.array(WORD, { maxLength: 6 }))
  .map(([command, words]) => [...command, ...words]);

async function furnished(): Promise<TestHome> {
  const home = testHome({ idleSeconds: 0 });
  const stock = home.file(
    'stock.csv',
    'SKU,Name,Unit,On hand,Reorder point,Unit cost\nSKU-VANILLA,Vanilla,tubs,2,8,2.50\n',
  );
  for (const line of [
    ['stock', 'import', stock],
    ['schedule', 'add', 'taken', '--prompt', 'Look.', '--every', '1d'],
    ['add', 'Wait for a lull.'],
  ]) {
    expect(await lullHere(home, line)).toMatchObject({ code: 0, err: '' });
  }
  return home;
}

describe('the command line under fire', () => {
  it('D8 no line of words ends in anything but an answer, or one clear line and its exit code', async () => {
    const home = await furnished();
    const met = new Map<number | null, number>();
    await fc.assert(
      fc.asyncProperty(LINE, WILD_TEXT, async (line, stdin) => {
        const before = digestOf(home);
        const ran = await lullHere(home, line, stdin);
        met.set(ran.code, (met.get(ran.code) ?? 0) + 1);
        const seen = { line, code: ran.code, err: ran.err };
        if (ran.code === 0) {
          if (line.includes('--json') && !/^Usage: /.test(ran.out))
            expect(() => ran.json()).not.toThrow();
          return;
        }
        expect({ ...seen, known: [1, 3].includes(ran.code ?? -1) }).toEqual({
          ...seen,
          known: true,
        });
        expect({ ...seen, clear: isClear(ran.err) }).toEqual({ ...seen, clear: true });
        expect({ ...seen, stored: digestOf(home) !== before }).toEqual({ ...seen, stored: false });
      }),
      cases(150),
    );
    expect(Math.min(met.get(0) ?? 0, met.get(1) ?? 0)).toBeGreaterThan(5);
  }, 600_000);
});

/** One line that says what is wrong, or (where a command is a group) what there is. */
function isClear(err: string): boolean {
  return /^lull: [^\n]{3,900}\n$/.test(err) || /^Usage: lull /.test(err);
}
