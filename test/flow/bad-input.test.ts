import { describe, expect, it } from 'vitest';
import { systemClock } from '../../main/base/clock.ts';
import { connectHost } from '../../main/surfaces/socket/client.ts';
import { dumpOf, hostThere, lullHere, type TestHome, testHome } from '../support/host.ts';

const HEAD = 'SKU,Name,Unit,On hand,Reorder point,Unit cost';
const STOCK = `${HEAD}
SKU-VANILLA,Vanilla,tubs,2,8,2.50
SKU-CHOCOLATE,Chocolate,tubs,12,12,3.00
`;
const LONG = 'x'.repeat(101);
const EVERY = ['--every', '1d'];
const PROMPT = ['--prompt', 'Look.'];

interface Bad {
  what: string;
  line: (file: (name: string, content: string | Uint8Array) => string) => string[];
  says: RegExp;
  code?: 1 | 3;
}

/** Command lines that must change nothing, each with what its one line has to name. */
const BAD: Bad[] = [
  ...schedules([
    ['an empty identity', ['add', '', ...PROMPT, ...EVERY], /^lull: id must not be empty/],
    ['101 characters', ['add', LONG, ...PROMPT, ...EVERY], /^lull: id must be 100 characters/],
    ['interval 0', ['add', 'a', ...PROMPT, '--every', '0s'], /--every.*at least 1 s/],
    ['interval 1.5', ['add', 'a', ...PROMPT, '--every', '1.5s'], /--every.*at least 1 s/],
    ['interval NaN', ['add', 'a', ...PROMPT, '--every', 'NaN'], /--every.*at least 1 s/],
    ['interval of 200 years', ['add', 'a', ...PROMPT, '--every', '73000d'], /--every/],
    ['due at infinity', ['add', 'a', ...PROMPT, ...EVERY, '--first', 'Infinity'], /--first/],
    ['a prompt too long', ['add', 'a', '--prompt', 'x'.repeat(16_385), ...EVERY], /prompt must/],
    ['an empty prompt', ['add', 'a', '--prompt', ' ', ...EVERY], /prompt must not be empty/],
    ['an identity in use', ['add', 'taken', ...PROMPT, ...EVERY], /"taken" exists already/],
    ['an unknown zone', ['add', 'a', ...PROMPT, ...cron('0 7 * * *', 'Mars/Base')], /Mars\/Base/],
    ['a cron line that never fires', ['add', 'a', ...PROMPT, ...cron('0 0 31 2 *')], /never/],
    ['a cron line of four fields', ['add', 'a', ...PROMPT, ...cron('0 7 * *')], /cron/],
    ['a policy that is none', ['add', 'a', ...PROMPT, ...EVERY, '--missed', 'maybe'], /--missed/],
    ['an unknown recipient', ['add', 'a', ...PROMPT, ...EVERY, '--to', 'telegram:x:me'], /to must/],
    ['a schedule nobody knows', ['edit', 'takn', '--prompt', 'x'], /did you mean "taken"\?/],
  ]),
  ...stockFiles([
    [
      'a bad number',
      `${HEAD}\nA,Apple,kg,3,5,2.00\nB,Pear,kg,many,5,2.00\n`,
      /row 3.*On hand.*many/,
    ],
    ['a missing column', 'SKU,Name\nA,Apple\n', /on hand/i],
    ['a duplicate SKU', `${HEAD}\nA,Apple,kg,3,5,2.00\nA,Pear,kg,4,5,2.00\n`, /rows 2 and 3.*"A"/],
    ['another currency', `${HEAD}\nA,Apple,kg,3,5,€2.00\n`, /row 2.*(EUR|€)/],
    ['a binary file', Uint8Array.from({ length: 4096 }, (_, n) => (n * 7919) % 256), /stock\.csv/],
    ['no rows', '', /stock\.csv/],
  ]),
  {
    what: 'a stock file of 50 MB',
    line: (file) => ['stock', 'import', file('stock.csv', Buffer.alloc(50_000_000, 'A,B,C\n'))],
    says: /larger than 11 MB/,
  },
  {
    what: 'a stock file that is not there',
    line: () => ['stock', 'import', '/nowhere/stock.csv'],
    says: /there is no such file/,
  },
  ...adjustments([
    ['a second event under a used id', ['SKU-VANILLA', '-2', 'sale', 'sale-1'], /"sale-1"/],
    ['an adjustment below zero', ['SKU-VANILLA', '-3', 'sale', 'sale-2'], /has 1.*leave -2/],
    ['an adjustment by nothing', ['SKU-VANILLA', '0', 'sale', 'sale-2'], /must not be 0/],
    ['half a tub', ['SKU-VANILLA', '0.5', 'sale', 'sale-2'], /whole number/],
    ['an unknown product', ['SKU-VANILA', '1', 'sale', 'sale-2'], /did you mean SKU-VANILLA\?/],
  ]),
  ...others([
    ['an unknown key', ['config', 'set', 'power.flor', '3'], /"power\.flor".*floorPercent/],
    ['a value of the wrong kind', ['config', 'set', 'power.floorPercent', 'low'], /floorPercent/],
    ['a pause that has passed', ['pause', '--until', '2001-01-01'], /--until.*past/],
    ['a job nobody knows', ['jobs', 'cancel', '77'], /there is no job 77/],
    ['a draft nobody knows', ['drafts', 'approve', '77'], /77/],
    ['a watch on nothing', ['watch', 'add', 'w', '--sku', 'SKU-X'], /SKU-X/],
    ['a task without words', ['add', ' '], /must not be empty/],
    ['a task over a missing file', ['add', 'Read.', '--files', '/nowhere/x'], /no such file/],
    ['a task whose time is over', ['add', 'Read.', '--until', '2001-01-01'], /--until.*past/],
    ['a command nobody knows', ['shedule', 'list'], /did you mean schedule\?/],
  ]),
];

describe('bad input changes nothing', () => {
  it.each([
    ['against a host', true],
    ['without a host', false],
  ])('P1 P2 P4 Q1 each says one line and exits 1, %s', async (_how, withHost) => {
    const home = await furnished();
    const host = withHost ? await hostThere(home) : null;
    const before = dumpOf(home);
    const faults: string[] = [];
    for (const { what, line, says, code = 1 } of BAD) {
      const ran = await lullHere(home, line(home.file));
      const problem = problemOf(ran, says, code);
      if (problem) faults.push(`${what}: ${problem}`);
      if (JSON.stringify(dumpOf(home)) !== JSON.stringify(before)) faults.push(`${what}: stored`);
    }
    expect(faults).toEqual([]);
    if (host) expect(await host.stop()).toBe(0);
  });

  it('P1 what no command line can say is refused by the contract all the same', async () => {
    const home = await furnished();
    await hostThere(home);
    const client = await connectHost(home.socket, systemClock());
    if (!client) throw new Error('no host');
    const before = dumpOf(home);
    const interval = (everySeconds: unknown, first: unknown = 0) => ({
      ...{ id: 'x', prompt: 'Look.' },
      rule: { kind: 'interval', everySeconds, first },
    });
    const asked: [string, unknown][] = [
      ...[0, -1, 1.5, Number.NaN, '10', null, 2 ** 60].map((every): [string, unknown] => [
        'schedule.add',
        interval(every),
      ]),
      ...[Number.POSITIVE_INFINITY, -1, 0.5, 9e15, 'now'].map((first): [string, unknown] => [
        'schedule.add',
        interval(60, first),
      ]),
      ['schedule.add', { ...interval(60), surprise: true }],
      ['stock.import', { name: 'x.csv', content: '=== no base64 ===' }],
      ['stock.adjust', { sku: 'SKU-VANILLA', delta: 1e300, reason: 'r', event: 'e' }],
      ['jobs.add', { text: 'x', notBefore: 10, until: 5 }],
      ['pause', { forSeconds: 10, until: 99 }],
      ['jobs.list', { limit: 501 }],
      ['schedule.ad', {}],
      ['__proto__', {}],
    ];
    for (const [command, input] of asked) {
      const reply = await client.dispatch(command, input);
      expect([command, reply]).toEqual([
        command,
        expect.objectContaining({ ok: false, message: expect.stringMatching(/^[^\n]+$/) }),
      ]);
    }
    expect(dumpOf(home)).toEqual(before);
    client.close();
  });
});

/** A data folder in which there is something to spoil. */
async function furnished(): Promise<TestHome> {
  const home = testHome({ idleSeconds: 0 });
  for (const line of [
    ['stock', 'import', home.file('stock.csv', STOCK)],
    ['stock', 'adjust', 'SKU-VANILLA', '-1', '--reason', 'sale', '--event', 'sale-1'],
    ['schedule', 'add', 'taken', ...PROMPT, '--every', '1d'],
    ['add', 'Wait for a lull.'],
  ]) {
    expect(await lullHere(home, line)).toMatchObject({ code: 0, err: '' });
  }
  return home;
}

function problemOf(
  ran: { code: number | null; out: string; err: string },
  says: RegExp,
  code: number,
): string | null {
  const isOneLine = /^lull: [^\n]{3,600}\n$/.test(ran.err);
  if (ran.code === code && ran.out === '' && isOneLine && says.test(ran.err)) return null;
  return `exit ${ran.code}, out ${JSON.stringify(ran.out)}, err ${JSON.stringify(ran.err)}`;
}

function cron(expression: string, zone = 'UTC'): string[] {
  return ['--cron', expression, '--tz', zone];
}

type Row = [what: string, line: string[], says: RegExp];

function others(rows: Row[]): Bad[] {
  return rows.map(([what, line, says]) => ({ what, line: () => line, says }));
}

function schedules(rows: Row[]): Bad[] {
  return others(rows.map(([what, line, says]) => [what, ['schedule', ...line], says]));
}

function adjustments(rows: [string, [string, string, string, string], RegExp][]): Bad[] {
  return others(
    rows.map(([what, [sku, delta, reason, event], says]) => [
      what,
      ['stock', 'adjust', '--reason', reason, '--event', event, '--', sku, delta],
      says,
    ]),
  );
}

function stockFiles(rows: [string, string | Uint8Array, RegExp][]): Bad[] {
  return rows.map(([what, content, says]) => ({
    what: `a stock file with ${what}`,
    line: (file) => ['stock', 'import', file('stock.csv', content)],
    says,
  }));
}
