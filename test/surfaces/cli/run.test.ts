import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LullError } from '../../../main/base/errors.ts';
import { VERSION } from '../../../main/base/version.ts';
import { temporaryFolder } from '../../support/store.ts';
import { asked, DRAFT, JOB, lull, NOW, PRODUCT } from './fake-rooms.ts';

const local = (hour: number, minute = 0, day = 10) =>
  new Date(2026, 4, day, hour, minute).getTime();
const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

describe('the command line', () => {
  it.each<[string, string, unknown]>([
    ['status', 'status', {}],
    ['why', 'why', {}],
    ['why #7', 'why', { job: 7 }],
    ['doctor', 'doctor', {}],
    ['backup', 'backup.make', {}],
    ['backup list', 'backup.list', {}],
    ['restore --yes', 'backup.restore', { empty: false, confirm: true }],
    [
      'restore daily-1778374800000.sqlite --yes',
      'backup.restore',
      { name: 'daily-1778374800000.sqlite', empty: false, confirm: true },
    ],
    ['restore --empty --yes', 'backup.restore', { empty: true, confirm: true }],
    ['add Read the minutes', 'jobs.add', { text: 'Read the minutes', files: [] }],
    [
      'add Read --tier stretch --not-before 23:30 --until 2026-05-12T07:00 --files a.md /b.md',
      'jobs.add',
      {
        text: 'Read',
        tier: 'stretch',
        notBefore: local(23, 30),
        until: local(7, 0, 12),
        files: [resolve('/work-dir/a.md'), '/b.md'],
      },
    ],
    ['pause', 'pause', { scope: 'all' }],
    ['pause --heavy --for 1h30m', 'pause', { scope: 'heavy', forSeconds: 5400 }],
    ['pause --until 08:00', 'pause', { scope: 'all', until: local(8, 0, 11) }],
    ['resume', 'resume', {}],
    ['resume --heavy', 'resume', { scope: 'heavy' }],
    ['jobs list --state queued --limit 5', 'jobs.list', { state: 'queued', limit: 6 }],
    ['jobs list --before 90 --limit 5', 'jobs.list', { before: 90, limit: 6 }],
    ['jobs show 7', 'jobs.show', { id: 7 }],
    ['jobs cancel 7', 'jobs.cancel', { id: 7 }],
    ['jobs retry 7', 'jobs.retry', { id: 7 }],
    ['jobs run 7', 'jobs.runNow', { id: 7, confirm: true }],
    ['jobs run 7 --on-battery', 'jobs.runNow', { id: 7, confirm: true, onBattery: true }],
    ['jobs run 7 --dry-run', 'jobs.runNow', { id: 7, confirm: false }],
    ['jobs history --before 90 --limit 5', 'jobs.history', { before: 90, limit: 6 }],
    ['presence here', 'presence.override', { say: 'present' }],
    ['presence away --for 2h', 'presence.override', { say: 'away', forSeconds: 7200 }],
    ['presence away --until 08:00', 'presence.override', { say: 'away', until: local(8, 0, 11) }],
    ['presence clear', 'presence.override', { say: 'clear' }],
    ['tide', 'tide.day', {}],
    ['tide 2026-05-09', 'tide.day', { day: '2026-05-09' }],
    ['drafts list --state pending', 'drafts.list', { state: 'pending', limit: 51 }],
    ['drafts show 3', 'drafts.show', { id: 3 }],
    ['drafts approve 3', 'drafts.approve', { id: 3 }],
    ['drafts approve 3 --confirm abc', 'drafts.approve', { id: 3, confirm: 'abc' }],
    ['drafts dismiss 3', 'drafts.dismiss', { id: 3 }],
    ['drafts snooze 3', 'drafts.snooze', { id: 3 }],
    ['drafts snooze 3 --for 1h', 'drafts.snooze', { id: 3, forSeconds: 3600 }],
    ['drafts snooze 3 --until 18:00', 'drafts.snooze', { id: 3, until: local(18) }],
    ['drafts snooze 3 --next-lull', 'drafts.snooze', { id: 3, until: 'next-lull' }],
    ['drafts wake 3', 'drafts.wake', { id: 3 }],
    ['drafts restore 3', 'drafts.restore', { id: 3 }],
    ['stock list --search van', 'stock.list', { search: 'van', limit: 51 }],
    ['stock list --after A', 'stock.list', { after: 'A', limit: 51 }],
    [
      'stock adjust SKU-VANILLA -7 --reason sale --event s1',
      'stock.adjust',
      { sku: 'SKU-VANILLA', delta: -7, reason: 'sale', event: 's1' },
    ],
    [
      'stock adjust SKU-VANILLA +6 --reason delivery --event d1',
      'stock.adjust',
      { sku: 'SKU-VANILLA', delta: 6, reason: 'delivery', event: 'd1' },
    ],
    ['watch add low --sku SKU-VANILLA', 'watch.add', { id: 'low', sku: 'SKU-VANILLA' }],
    [
      'watch add low --sku S --session shop2 --to telegram:me:42',
      'watch.add',
      { id: 'low', sku: 'S', session: 'shop2', to: 'telegram:me:42' },
    ],
    ['watch remove low', 'watch.remove', { id: 'low' }],
    ['watch list', 'watch.list', {}],
    ['models', 'models.show', { since: NOW - 7 * 86_400_000 }],
    ['models find', 'models.discover', {}],
    [
      'schedule add brief --prompt Write --every 1d',
      'schedule.add',
      {
        id: 'brief',
        prompt: 'Write',
        rule: { kind: 'interval', everySeconds: 86_400, first: NOW + 86_400_000 },
      },
    ],
    [
      'schedule add brief --prompt Write --every 10s --first 2026-05-10T11:59:21.500Z --missed within:2h --session s --to local --tier routine',
      'schedule.add',
      {
        id: 'brief',
        prompt: 'Write',
        rule: { kind: 'interval', everySeconds: 10, first: Date.UTC(2026, 4, 10, 11, 59, 21, 500) },
        missed: { kind: 'within', seconds: 7200 },
        session: 's',
        to: 'local',
        tier: 'routine',
      },
    ],
    [
      'schedule edit brief --cron 0_7_*_*_1-5 --tz Europe/Berlin --missed replay:3',
      'schedule.edit',
      {
        id: 'brief',
        rule: { kind: 'cron', expression: '0 7 * * 1-5', zone: 'Europe/Berlin' },
        missed: { kind: 'replay', atMost: 3 },
      },
    ],
    ['schedule edit brief --tier auto', 'schedule.edit', { id: 'brief', tier: null }],
    ['schedule enable brief', 'schedule.enable', { id: 'brief' }],
    ['schedule disable brief', 'schedule.disable', { id: 'brief' }],
    ['schedule list', 'schedule.list', {}],
    ['schedule preview brief -n 3', 'schedule.preview', { id: 'brief', count: 3 }],
    [
      'schedule preview --cron @daily',
      'schedule.preview',
      { rule: { kind: 'cron', expression: '@daily', zone: ZONE }, count: 5 },
    ],
    ['config get', 'config.get', {}],
    ['config get power.floorPercent', 'config.get', { key: 'power.floorPercent' }],
    ['config set power.floorPercent 30', 'config.set', { key: 'power.floorPercent', value: 30 }],
    ['config set currency EUR', 'config.set', { key: 'currency', value: 'EUR' }],
    ['config set models.budgetGb null', 'config.set', { key: 'models.budgetGb', value: null }],
  ])('D8 lull %s', async (line, command, input) => {
    const args = line.split(' ').map((word) => word.replaceAll('_', ' '));
    expect(await asked(args)).toEqual([command, input]);
    const shown = await lull(args, { width: 80 });
    expect(shown).toMatchObject({ code: 0, err: '', closed: 1 });
    expect(shown.out.trim()).not.toBe('');
    for (const text of shown.out.split('\n')) expect(text).toBe(text.trimEnd());
    const json = await lull([...args, '--json']);
    expect(json).toMatchObject({ code: 0, err: '' });
    expect(() => JSON.parse(json.out)).not.toThrow();
    expect(json.out.endsWith('\n')).toBe(true);
  });

  it('D8 listings are bare arrays and status is one object', async () => {
    for (const list of [
      'jobs list',
      'drafts list',
      'stock list',
      'watch list',
      'schedule list',
      'why',
    ]) {
      const { out } = await lull([...list.split(' '), '--json']);
      expect(JSON.parse(out), list).toEqual([expect.any(Object)]);
    }
    const status = JSON.parse((await lull(['status', '--json'])).out);
    expect(Object.keys(status)).toEqual([
      ...['host', 'run', 'stalled', 'wedged'],
      'line',
      'paused',
      'word',
      'gates',
      'queue',
      'drafts',
    ]);
    expect(Object.keys(JSON.parse((await lull(['jobs', 'list', '--json'])).out)[0])).toEqual(
      expect.arrayContaining([
        ...['id', 'kind', 'tier', 'state', 'priority', 'attempts', 'source', 'session'],
        ...['reason', 'createdAt', 'startedAt', 'finishedAt'],
      ]),
    );
  });

  it('D8 a program gets the whole list, a person one screen and the way to the rest', async () => {
    const all = Array.from({ length: 1_203 }, (_, n) => ({ ...JOB, id: 1_203 - n }));
    const pages: number[] = [];
    const handlers = {
      'jobs.list': ({ before, limit }: { before?: number | undefined; limit: number }) => {
        pages.push(limit);
        return all.filter((job) => before === undefined || job.id < before).slice(0, limit);
      },
    };
    const json = await lull(['jobs', 'list', '--json'], { handlers });
    expect(JSON.parse(json.out).map((job: { id: number }) => job.id)).toEqual(
      all.map((job) => job.id),
    );
    expect(pages).toEqual([500, 500, 500]);
    const text = await lull(['jobs', 'list'], { handlers });
    expect(text.out.trim().split('\n')).toHaveLength(53);
    expect(text.out).toMatch(/More: lull jobs list --before 1154\n$/);
    const some = await lull(['jobs', 'list', '--limit', '600', '--json'], { handlers });
    expect(JSON.parse(some.out)).toHaveLength(600);
    const exactly = await lull(['jobs', 'list', '--limit', '1203'], { handlers });
    expect(exactly.out).not.toMatch(/More:/);
    const products = Array.from({ length: 60 }, (_, n) => ({ ...PRODUCT, sku: `S${n + 100}` }));
    const stock = await lull(['stock', 'list', '--json'], {
      handlers: {
        'stock.list': ({ after, limit }) =>
          products.filter((row) => after === undefined || row.sku > after).slice(0, limit),
      },
    });
    expect(JSON.parse(stock.out)).toHaveLength(60);
  });

  it('D4 approving what has changed shows the changes and how to go on, exit 3', async () => {
    const changed = await lull(['drafts', 'approve', '3'], {
      handlers: {
        'drafts.approve': () => ({
          outcome: 'changed',
          changes: ['need was 6, is 4'],
          confirm: 'tok',
        }),
      },
    });
    expect(changed).toMatchObject({
      code: 3,
      out: 'Changed: need was 6, is 4\n',
      err: 'lull: draft 3 was not approved: something has changed since it was made - if it is still right: lull drafts approve 3 --confirm tok\n',
    });
    const failed = await lull(['drafts', 'approve', '3', '--json'], {
      handlers: { 'drafts.approve': () => ({ outcome: 'failed', error: 'the disk is full' }) },
    });
    expect(failed.code).toBe(2);
    expect(JSON.parse(failed.out)).toEqual({ outcome: 'failed', error: 'the disk is full' });
    expect(failed.err).toMatch(
      /^lull: draft 3 is approved, but could not be carried out: the disk/,
    );
  });

  it.each<[string, number, string]>([
    ['statsu', 1, "unknown command 'statsu' - did you mean status?"],
    ['jobs lst', 1, "unknown command 'lst' - did you mean list?"],
    ['status --jsno', 1, "unknown option '--jsno' - did you mean --json?"],
    ['stock adjust A 1 --reson x', 1, "unknown option '--reson' - did you mean --reason?"],
    ['stock adjust A 1 --event e', 1, '--reason is missing'],
    ['stock adjust A 1.5 --reason r --event e', 1, 'It must be a whole number.'],
    ['stock adjust A Infinity --reason r --event e', 1, 'It must be a whole number.'],
    ['watch add low', 1, '--sku is missing'],
    ['add', 1, "missing required argument 'text'"],
    ['add x --tier big', 1, 'tier must be pinned, routine, synthesis or stretch'],
    ['add x --until 2020-01-01', 1, 'It is in the past.'],
    ['jobs show', 1, "missing required argument 'id'"],
    ['jobs show 0', 1, 'It must be a number, as in the listing.'],
    ['jobs show 1e3', 1, 'It must be a number, as in the listing.'],
    ['jobs list --state waiting', 1, 'state must be queued, running, done'],
    ['jobs list --limit 0', 1, 'It must be a whole number from 1 to 1000000.'],
    ['pause --for 0', 1, 'Write at least 1 s, for example 90m, 1h30m, 10s or 2d.'],
    ['pause --for 0m', 1, 'Write at least 1 s'],
    ['pause --for 9999d', 1, '--for must be 31536000 or less'],
    ['pause --until 25:00', 1, 'Write 08:00'],
    ['pause --until 2026-02-30', 1, 'Write 08:00'],
    ['pause --for 1h --until 08:00', 1, "cannot be used with option '--for <duration>'"],
    ['schedule add b --prompt p', 1, 'when? give --every or --cron'],
    ['schedule add b --every 1d', 1, '--prompt is missing'],
    ['schedule add b --prompt p --every 0', 1, 'Write at least 1 s'],
    ['schedule add b --prompt p --every 1.5', 1, 'Write at least 1 s'],
    ['schedule add b --prompt p --every NaN', 1, 'Write at least 1 s'],
    ['schedule add b --prompt p --every 1d --first Infinity', 1, 'Write 08:00, 2026-05-01T08:00'],
    ['schedule add b --prompt p --every 99999d', 1, '--every must be 3153600000 or less'],
    ['schedule add b --prompt p --every 1d --cron x', 1, 'give --every or --cron, not both'],
    ['schedule add b --prompt p --cron x --first 08:00', 1, '--first goes with --every'],
    ['schedule add b --prompt p --every 1d --tz UTC', 1, '--tz goes with --cron'],
    ['schedule add b --prompt p --every 1d --missed later', 1, 'Write coalesce, skip, within:2h'],
    ['schedule add b --prompt p --every 1d --missed replay:0', 1, 'Write coalesce'],
    ['schedule add b --prompt p --every 1d --to mail', 1, 'to must be local or telegram'],
    ['schedule edit b', 1, 'nothing to change'],
    ['schedule preview', 1, 'give the name of a schedule, or a rule'],
    ['schedule preview b -n 101', 1, 'It must be a whole number from 1 to 100.'],
    ['stock import nowhere.csv', 1, 'nowhere.csv cannot be read: there is no such file'],
    ['stock import --map sku=Code', 1, "missing required argument 'file'"],
    ['stock import --map sku x.csv', 1, '--map sku is not of the form field=Column'],
    ['config set power.floorPercent', 1, "missing required argument 'value'"],
    ['start --model big', 1, 'Allowed choices are offline.'],
    ['start --port 70000', 1, 'It must be a whole number from 1 to 65535.'],
    ['start here', 1, 'too many arguments'],
    ['open', 3, 'Lull is not running - start it with: lull start'],
    ['status --home', 1, 'argument missing'],
  ])('D8 a wrong line is refused in one line: lull %s', async (line, code, message) => {
    const ran = await lull(line.split(' '));
    expect(ran.code).toBe(code);
    expect(ran.out).toBe('');
    expect(ran.err).toMatch(/^lull: [^\n]+\n$/);
    expect(ran.err).toContain(message);
  });

  it('D8 an empty or over-long identity and an over-long prompt are refused by the contract', async () => {
    const add = (id: string, prompt: string) =>
      lull(['schedule', 'add', id, '--prompt', prompt, '--every', '1d']);
    expect((await add('', 'p')).err).toBe('lull: id must not be empty\n');
    expect((await add('x'.repeat(101), 'p')).err).toBe(
      'lull: id must be 100 characters or fewer\n',
    );
    expect((await add('a', 'x'.repeat(16_385))).err).toBe(
      'lull: prompt must be 16,384 bytes or fewer\n',
    );
    expect((await lull(['status', '--home', ''])).err).toBe('lull: --home must name a folder\n');
  });

  it.each([
    ['invalid', 1],
    ['not_found', 1],
    ['conflict', 1],
    ['refused', 3],
    ['queue_full', 3],
    ['host_running', 3],
    ['disk_full', 3],
    ['failed', 2],
  ] as const)('D8 a refusal keeps its meaning in the exit code: %s is %i', async (code, exit) => {
    const ran = await lull(['jobs', 'cancel', '7'], {
      handlers: {
        'jobs.cancel': () => {
          throw new LullError(code, 'no,\nnot \u001b[31mnow', 'later');
        },
      },
    });
    expect(ran).toMatchObject({
      code: exit,
      out: '',
      err: 'lull: no, not \ufffd[31mnow - later\n',
    });
    expect(ran.closed).toBe(1);
  });

  it('D8 texts of others cannot steer the terminal, in words or in JSON', async () => {
    const evil = 'a\u001b]0;title\u0007b\u009b31mc\u202ed\u{e0041}\r\ne';
    const handlers = { 'jobs.list': () => [{ ...JOB, title: evil, reason: evil }] };
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    const steering = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u{e0041}]/u;
    const text = await lull(['jobs', 'list'], { handlers });
    expect(text.out).not.toMatch(steering);
    expect(text.out.trim().split('\n')).toHaveLength(2);
    const json = await lull(['jobs', 'list', '--json'], { handlers });
    expect(json.out).not.toMatch(steering);
    expect(JSON.parse(json.out)[0].title).toBe(evil);
    const draft = await lull(['drafts', 'show', '3'], {
      handlers: {
        'drafts.show': () => ({
          ...DRAFT,
          kind: 'text',
          model: null,
          decidedAt: null,
          appliedAt: null,
          error: null,
          supersededBy: null,
          lines: [],
          changes: null,
          text: evil,
          notes: '',
          provenance: 'p',
          effects: [],
          steps: { count: 0, millis: null, tools: [] },
          transcript: [],
        }),
      },
    });
    expect(draft.out).not.toMatch(steering);
    expect(draft.out).toMatch(/\ne\n/);
  });

  it('D13 restore says what it would do, and does it only with --yes', async () => {
    const ran = await lull(['restore']);
    expect(ran.asked).toEqual([
      { command: 'backup.restore', input: { empty: false, confirm: false } },
    ]);
    expect(ran.code).toBe(3);
    expect(ran.out).toMatch(/^This puts the backup of .* in the place of what Lull holds now\.$/m);
    expect(ran.err).toMatch(/^lull: nothing was done yet.*--yes/);
  });

  it('D13 an export goes to where it was wanted, and never over a file', async () => {
    const dir = temporaryFolder();
    const [made, wanted] = [join(dir, 'lull-1.jsonl'), join(dir, 'everything.jsonl')];
    writeFileSync(made, '{}\n');
    const handlers = { 'export.make': () => ({ path: made, bytes: 2_500_000, rows: 12 }) };
    const ran = await lull(['export', wanted], { handlers });
    expect(ran).toMatchObject({ code: 0, out: `${wanted}: 12 rows, 2.5 MB.\n`, err: '' });
    expect(readFileSync(wanted, 'utf8')).toBe('{}\n');
    const again = await lull(['export', wanted], { handlers });
    expect(again).toMatchObject({ code: 1, asked: [] });
    expect(again.err).toMatch(/everything\.jsonl is there already/);
  });

  it('D13 an import into a Lull that is not empty is refused before anything is read', async () => {
    const ran = await lull(['import', '/nowhere/everything.jsonl']);
    expect(ran.code).toBe(3);
    expect(ran.err).toMatch(/^lull: this Lull is not empty; nothing was imported.*--replace/);
    expect(ran.asked.map(({ command }) => command)).not.toContain('backup.restore');
    const missing = await lull(['import', '/nowhere/everything.jsonl', '--replace']);
    expect(missing.code).toBe(1);
    expect(missing.err).toMatch(/^lull: [^\n]*everything\.jsonl[^\n]*\n$/);
    expect(missing.asked).toEqual([]);
  });

  it('P4 a file is sent by its bytes and name, with its map, wherever the file stands', async () => {
    const dir = temporaryFolder();
    const file = join(dir, 'Stock list.csv');
    const bytes = Buffer.from([0xff, 0xfe, 0x41, 0x00]);
    writeFileSync(file, bytes);
    const expected = { name: 'Stock list.csv', content: bytes.toString('base64') };
    for (const args of [
      [file, '--map', 'sku=Code', 'name=Item Name', '--dry-run'],
      ['--map', 'sku=Code', '--map', 'name=Item Name', '--dry-run', file],
      ['--dry-run', '--map', 'sku=Code', 'name=Item Name', file],
    ]) {
      expect(await asked(['stock', 'import', ...args])).toEqual([
        'stock.import',
        { ...expected, map: { sku: 'Code', name: 'Item Name' }, dryRun: true },
      ]);
    }
    const more = ['--reorder-point', '5', '--location', 'Shop'];
    expect(await asked(['stock', 'import', file, ...more])).toEqual([
      'stock.import',
      { ...expected, map: {}, reorderPoint: 5, location: 'Shop', dryRun: false },
    ]);
    const seen = await lull(['stock', 'import', file, '--dry-run']);
    expect(seen.out).toMatch(/^Would be: 1 added, 0 changed, 0 unchanged \(plain CSV\)\. Nothing/);
    expect((await lull(['stock', 'import', dir])).err).toMatch(/cannot be read: it is a folder/);
  });

  it('P4 a file of 50 MB is refused before it is sent, one that just fits is not', async () => {
    const file = join(temporaryFolder(), 'big.csv');
    writeFileSync(file, Buffer.alloc(50_000_000, 'x'));
    const ran = await lull(['stock', 'import', file]);
    expect(ran).toMatchObject({ code: 1, asked: [], opened: [] });
    expect(ran.err).toMatch(/big\.csv is larger than 11 MB/);
    writeFileSync(file, Buffer.alloc(11_250_000, 'x'));
    expect((await lull(['stock', 'import', file])).code).toBe(0);
  });

  it('D8 start hands its options over and ends with the code of the host', async () => {
    let given: unknown;
    const deps = {
      startHost: async (options: unknown) => {
        given = options;
        return 3;
      },
    };
    expect((await lull(['start', '--home', 'data'], { deps })).code).toBe(3);
    expect(given).toMatchObject({
      home: { dir: '/work-dir/data' },
      port: null,
      open: true,
      offline: false,
      facts: null,
    });
    const line = 'start --port 4000 --no-open --model offline --facts f.json --home /d';
    await lull(line.split(' '), { deps });
    expect(given).toMatchObject({
      home: { dir: '/d' },
      port: 4000,
      open: false,
      offline: true,
      facts: '/work-dir/f.json',
    });
    const refusing = {
      startHost: async () => {
        throw new LullError('host_running', 'another Lull (pid 4) holds this folder');
      },
    };
    expect(await lull(['start'], { deps: refusing })).toMatchObject({
      code: 3,
      err: 'lull: another Lull (pid 4) holds this folder\n',
    });
  });

  it('D7 what is found is shown with its reasons, and taken over with the owner’s own figures', async () => {
    const { out } = await lull(['models', 'find']);
    expect(out).toMatch(/^Ollama at http:\/\/127\.0\.0\.1:11434: 0 models$/m);
    expect(out).toMatch(/^synthesis +qwen3:8b +Ollama +8192 +9\.6 GB +confirm$/m);
    expect(out).toMatch(/big:70b on Ollama: needs 48\.1 GB/);
    const taken = await lull(['models', 'adopt', '--memory', 'synthesis=17.5', 'routine=9']);
    expect(taken.asked.map((one) => one.command)).toEqual(['models.discover', 'models.adopt']);
    expect(taken.asked[1]?.input).toEqual({ memoryGb: { synthesis: 17.5, routine: 9 } });
    for (const bad of ['synthesis', 'big=3', 'routine=much', 'routine=0']) {
      const refused = await lull(['models', 'adopt', '--memory', bad]);
      expect(refused).toMatchObject({ code: 1, asked: [] });
      expect(refused.err).toMatch(/^lull: option '--memory <tier=GB...>' argument '.*' is invalid/);
    }
  });

  it('S3 what is in memory is shown with whose it is and how much it takes', async () => {
    const { out } = await lull(['models']);
    expect(out).toMatch(/^memory +9\.6 GB of 24\.0 GB used$/m);
    expect(out).toMatch(/^last 7 days +3 loads, 1 swap, 0 refusals$/m);
    expect(out).toMatch(/^qwen3:8b +Ollama +9\.6 GB +8192 +Lull$/m);
    expect(out).toMatch(/nothing is chosen yet: lull models find/);
  });

  it('D8 help and the version are on standard output, exit 0', async () => {
    expect(await lull(['--version'])).toMatchObject({ code: 0, out: `${VERSION}\n`, err: '' });
    const help = await lull(['--help']);
    expect(help).toMatchObject({ code: 0, err: '' });
    for (const name of [
      'start',
      'status',
      'why',
      'add',
      'pause',
      'stock',
      'watch',
      'schedule',
      'drafts',
    ]) {
      expect(help.out).toMatch(new RegExp(`^ {2}${name}\\b`, 'm'));
    }
    expect((await lull(['jobs', 'show', '--help'])).out).toMatch(/--json/);
  });

  it('D8 no command line whatever makes it throw, and what it refuses is one line', async () => {
    const words = [
      ...'status why doctor backup restore add pause resume jobs drafts stock watch schedule config list show add'.split(
        ' ',
      ),
      ...'approve dismiss import adjust preview edit get set open --json --for --until --every'.split(
        ' ',
      ),
      ...'--first --cron --tz --missed --map --limit --state --home --empty --yes -n -- - --help 1 -7 08:00 1h30m'.split(
        ' ',
      ),
    ];
    const word = fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom(...words) },
      { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }) },
    );
    const home = temporaryFolder();
    await fc.assert(
      fc.asyncProperty(fc.array(word, { maxLength: 7 }), async (args) => {
        const { code, out, err } = await lull(args, { home });
        expect([0, 1, 3]).toContain(code);
        if (code === 0) expect(err).toBe('');
        else if (!err.startsWith('Usage: ')) expect(err).toMatch(/^lull: [^\n]+\n$/);
        if (args.includes('--json') && code === 0 && !out.startsWith('Usage: ')) {
          expect(() => JSON.parse(out)).not.toThrow();
        }
      }),
      { numRuns: 600 },
    );
  });
});
