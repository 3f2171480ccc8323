import { describe, expect, it } from 'vitest';
import type { JobRow } from '../../main/surfaces/contract.ts';
import { FakeClock } from '../support/fake-clock.ts';
import {
  type Call,
  hostHere,
  hostThere,
  lull,
  lullHere,
  rowsIn,
  type TestHome,
  testHome,
  until,
} from '../support/host.ts';

/** Second 0 of the stories, on a whole minute. */
const ZERO = 1_780_000_020_000;
const at = (second: number): number => ZERO + second * 1000;

const MORNING = {
  ...{ id: 'morning', prompt: 'Prepare the opening replenishment draft.' },
  rule: { kind: 'interval', everySeconds: 10, first: at(100) },
} as const;

const STOCK = `SKU,Name,Unit,On hand,Reorder point,Unit cost
SKU-CHOCOLATE,Chocolate,tubs,12,12,3.00
SKU-STRAWBERRY,Strawberry,tubs,1,5,2.75
SKU-VANILLA,Vanilla,tubs,2,8,2.50
`;

async function importStock(call: Call): Promise<void> {
  const content = Buffer.from(STOCK).toString('base64');
  await call('stock.import', { name: 'stock.csv', content });
}

/** What the ledger holds of one kind, oldest first. */
function ledger(home: TestHome, kind: string): unknown[] {
  return rowsIn<{ payload: string }>(
    home,
    'SELECT payload FROM events WHERE kind = ? ORDER BY id',
    kind,
  ).map((row) => JSON.parse(row.payload));
}

const nextDue = async (call: Call) => (await call('schedule.list', {}))[0]?.nextDue ?? Number.NaN;

describe('the clock of the seed story', () => {
  it('P1 S2 due at 100 every 10 s, asleep until 139: one job, coalesced 3, next 140', async () => {
    const home = testHome();
    const clock = new FakeClock(at(90));
    const { host, call, calm } = await hostHere(home, clock);
    await call('schedule.add', MORNING);
    clock.suspend(49_000);
    host.wake();
    await calm();
    expect(await call('jobs.list', {})).toMatchObject([
      { source: `job:morning@1:${at(100)}`, state: 'done', coalesced: 3 },
    ]);
    expect(await nextDue(call)).toBe(at(140));
  });

  it('P1 not running until 139: the same, and a second look takes in nothing', async () => {
    const { home, clock, call } = await seenAt139();
    expect(await call('jobs.list', {})).toMatchObject([
      { source: `job:morning@1:${at(100)}`, session: 'shop', coalesced: 3, state: 'done' },
    ]);
    expect(await nextDue(call)).toBe(at(140));
    expect(ledger(home, 'wake.job.enqueued')).toEqual([{ job: 'morning', work: 1, coalesced: 3 }]);
    await clock.advance(999);
    expect(await call('jobs.list', {})).toHaveLength(1);
    await clock.advance(1);
    expect(await call('jobs.list', {})).toMatchObject([
      { source: `job:morning@1:${at(140)}`, coalesced: 0 },
      { id: 1 },
    ]);
    expect(await nextDue(call)).toBe(at(150));
  });

  it('P7 G4 a paused pass keeps 140, and resuming at 179 admits it once, with the next at 180', async () => {
    const { home, clock, call, calm } = await seenAt139();
    await call('pause', { scope: 'all' });
    await clock.advance(40_000);
    expect(clock.now()).toBe(at(179));
    expect(await nextDue(call)).toBe(at(140));
    expect(await call('jobs.list', {})).toHaveLength(1);
    await call('resume', {});
    await calm();
    expect(await call('jobs.list', {})).toMatchObject([
      { source: `job:morning@1:${at(140)}`, coalesced: 3, state: 'done' },
      { id: 1 },
    ]);
    expect(await nextDue(call)).toBe(at(180));
    await call('schedule.disable', { id: 'morning' });
    await call('schedule.disable', { id: 'morning' });
    await clock.advance(820_000);
    expect(await call('jobs.list', {})).toHaveLength(2);
    expect(ledger(home, 'wake.job.deferred')).toEqual([]);
  });

  it('P1 P7 a full queue: one deferral event over two passes, then one job, coalesced 5, next 160', async () => {
    const home = testHome(undefined, { queue: { lightCapacity: 1 } });
    const clock = new FakeClock(at(90));
    const first = await hostHere(home, clock);
    const { job } = await first.call('jobs.add', {
      ...{ text: 'Count the freezer.', tier: 'routine', notBefore: at(152) },
    });
    await first.call('schedule.add', MORNING);
    await clock.advance(60_000); // passes at 100, then at each re-read: 130, 150
    expect(clock.now()).toBe(at(150));
    expect(await nextDue(first.call)).toBe(at(100));
    expect(ledger(home, 'wake.job.deferred')).toEqual([{ job: 'morning' }]);
    expect(await first.call('jobs.list', {})).toMatchObject([{ id: job, state: 'deferred' }]);
    await clock.advance(2_000);
    await first.calm();
    expect(await first.call('jobs.list', {})).toMatchObject([
      { source: `job:morning@1:${at(100)}`, coalesced: 5, state: 'done' },
      { id: job, state: 'done' },
    ]);
    expect(await nextDue(first.call)).toBe(at(160));
    expect(ledger(home, 'wake.job.enqueued')).toMatchObject([{ coalesced: 5 }]);
    expect(ledger(home, 'wake.job.deferred')).toHaveLength(1);
  });

  it('P1 by the command line, in real time: 39 s late, one job, coalesced 3, the next in a second', async () => {
    const home = testHome();
    const host = await hostThere(home);
    const { id, now } = await addedAtOnce(home);
    const jobs = async () =>
      (await lull(home, ['jobs', 'list', '--json']))
        .json<JobRow[]>()
        .filter(({ source }) => source?.startsWith(`job:${id}@1:`));
    const both = await until(async () => {
      const found = await jobs();
      return found.length >= 2 && found.every(({ state }) => state === 'done') && found;
    });
    expect(both.slice(-2)).toMatchObject([
      { source: `job:${id}@1:${now + 1000}`, coalesced: 0, kind: 'brief' },
      { source: `job:${id}@1:${now - 39_000}`, coalesced: 3, kind: 'brief' },
    ]);
    const list = await lull(home, ['schedule', 'list', '--json']);
    expect(list.json<{ id: string }[]>().find((one) => one.id === id)).toMatchObject({
      missedCount: 3,
    });
    expect(await host.stop()).toBe(0);
  });

  /** A schedule that was 39 s late when it was added; anew where this machine took a second for it. */
  async function addedAtOnce(home: TestHome): Promise<{ id: string; now: number }> {
    for (let n = 1; n <= 5; n++) {
      const now = Date.now();
      const id = `m${n}`;
      const when = ['--every', '10s', '--first', new Date(now - 39_000).toISOString()];
      const added = await lullHere(home, ['schedule', 'add', id, '--prompt', 'Look.', ...when]);
      expect(added).toMatchObject({ code: 0, err: '' });
      const isIn = () => rowsIn(home, `SELECT 1 FROM jobs WHERE source LIKE 'job:${id}@%'`);
      await until(() => isIn().length > 0);
      if (Date.now() - now < 1000) return { id, now };
    }
    throw new Error('this machine is too slow to be a second late');
  }

  /** A host that stood still from 90 to 139. */
  async function seenAt139() {
    const home = testHome();
    const clock = new FakeClock(at(90));
    const before = await hostHere(home, clock);
    await before.call('schedule.add', MORNING);
    await before.stop();
    clock.jump(at(139) - clock.now());
    return { home, clock, ...(await hostHere(home, clock)) };
  }
});

describe('the stock of the seed story', () => {
  it('P5 A5 two episodes, two drafts: 6 tubs for $15.00, then 7 tubs for $17.50', async () => {
    const home = testHome();
    const clock = new FakeClock(at(0));
    const { call, calm } = await hostHere(home, clock);
    await importStock(call);
    await call('watch.add', { id: 'vanilla-low', sku: 'SKU-VANILLA' });
    await calm();
    expect(await call('jobs.list', {})).toMatchObject([
      { source: 'stock-condition:vanilla-low:1', subject: 'SKU-VANILLA', state: 'done' },
    ]);
    expect(await onlyDraft(call)).toMatchObject({
      ...{ subject: 'SKU-VANILLA', totalCents: 1500, currency: 'USD' },
      lines: [{ sku: 'SKU-VANILLA', quantity: 6, unit: 'tubs', totalCents: 1500 }],
    });
    await clock.advance(120_000);
    expect(await call('jobs.list', {})).toHaveLength(1);

    const adjust = async (delta: number, event: string) => {
      await call('stock.adjust', { sku: 'SKU-VANILLA', delta, reason: 'a day', event });
      await calm();
    };
    await adjust(6, 'delivery-1');
    expect(await call('watch.list', {})).toMatchObject([{ armed: true, generation: 1 }]);
    await adjust(-7, 'sale-1');
    expect(await call('jobs.list', {})).toMatchObject([
      { source: 'stock-condition:vanilla-low:2', state: 'done' },
      { source: 'stock-condition:vanilla-low:1' },
    ]);
    expect(await onlyDraft(call)).toMatchObject({
      ...{ totalCents: 1750 },
      lines: [{ sku: 'SKU-VANILLA', quantity: 7, totalCents: 1750 }],
    });
    expect(await call('drafts.list', {})).toMatchObject([
      { state: 'pending', totalCents: 1750 },
      { state: 'superseded', totalCents: 1500 },
    ]);
    expect(await call('watch.list', {})).toMatchObject([{ armed: false, generation: 2 }]);
    expect(ledger(home, 'stock.condition.triggered')).toMatchObject([
      { condition: 'vanilla-low', subject: 'SKU-VANILLA', generation: 1, work: 1 },
      { generation: 2, work: 2 },
    ]);
  });

  it('P5 a scheduled brief covers the whole shop: strawberry $11.00 and vanilla $15.00', async () => {
    const home = testHome();
    const clock = new FakeClock(at(99));
    const { call } = await hostHere(home, clock);
    await importStock(call);
    await call('schedule.add', MORNING);
    await clock.advance(1_000);
    expect(await onlyDraft(call)).toMatchObject({
      totalCents: 2600,
      lines: [
        { sku: 'SKU-STRAWBERRY', quantity: 4, totalCents: 1100 },
        { sku: 'SKU-VANILLA', quantity: 6, totalCents: 1500 },
      ],
    });
  });
});

async function onlyDraft(call: Call) {
  const pending = await call('drafts.list', { state: 'pending' });
  expect(pending).toHaveLength(1);
  return call('drafts.show', { id: pending[0]?.id ?? 0 });
}
