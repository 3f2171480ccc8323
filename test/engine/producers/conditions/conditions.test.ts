import { describe, expect, it } from 'vitest';
import { LullError } from '../../../../main/base/errors.ts';
import { createConditionDuty } from '../../../../main/engine/producers/conditions/duty.ts';
import { type ProducerRoom, producerRoom } from '../room.ts';

const vanilla = { id: 'vanilla-low', sku: 'SKU-VANILLA', session: 'shop', to: 'local' };

async function shop(capacity?: number): Promise<ProducerRoom> {
  const room = await producerRoom(capacity);
  for (const sku of ['SKU-VANILLA', 'SKU-STRAWBERRY', 'SKU-CHOCOLATE']) need(room, sku, 0);
  return room;
}

function need(room: ProducerRoom, sku: string, needed: number): void {
  room.needs.set(sku, { needed, prompt: `Prepare a replenishment draft for ${sku}.` });
}

describe('conditions', () => {
  it('P5 watching the same again changes nothing; another product under the same name is refused', async () => {
    const room = await shop();
    const first = room.conditions.watch(vanilla);
    expect(first).toEqual({
      ok: true,
      value: { ...vanilla, tier: null, enabled: true, armed: true, generation: 0, problem: null },
    });
    expect(room.conditions.watch(vanilla)).toEqual(first);
    expect(room.conditions.watch({ ...vanilla, sku: 'SKU-STRAWBERRY' })).toMatchObject({
      code: 'conflict',
      message: '"vanilla-low" is bound to SKU-VANILLA, session shop, results to local',
    });
    expect(room.conditions.watch({ ...vanilla, to: 'telegram:shop:12' })).toMatchObject({
      code: 'conflict',
    });
    expect(() =>
      room.store.db.exec("UPDATE stock_conditions SET subject = 'SKU-STRAWBERRY'"),
    ).toThrow(/never changes/);
    expect(room.conditions.list()).toHaveLength(1);
  });

  it('P5 a product is watched by one enabled condition; the refusal names it', async () => {
    const room = await shop();
    room.conditions.watch(vanilla);
    expect(room.conditions.watch({ ...vanilla, id: 'second' })).toMatchObject({
      code: 'conflict',
      message: 'SKU-VANILLA is already watched by "vanilla-low"',
      hint: 'keep that one, or remove it first: lull watch remove vanilla-low',
    });
    room.conditions.unwatch('vanilla-low');
    expect(room.conditions.watch({ ...vanilla, id: 'second' })).toMatchObject({ ok: true });
    expect(room.conditions.watch(vanilla)).toMatchObject({ code: 'conflict' });
  });

  it('P5 a pass looks again where something was written, or the last one left something to do', async () => {
    const room = await shop(0);
    room.conditions.watch(vanilla);
    room.written = 1;
    expect(room.conditionPass(1).moved).toBe(0);
    need(room, 'SKU-VANILLA', 4);
    room.capacity = 1;
    expect(room.conditionPass(2).moved).toBe(0);
    room.written = 2;
    room.capacity = 0;
    expect(room.conditionPass(3).moved).toBe(0);
    room.capacity = 1;
    expect(room.conditionPass(4).admitted).toHaveLength(1);
  });

  it('P5 an unknown product, a wrong name and the hundred-and-first watch are refused with one line', async () => {
    const room = await shop();
    expect(room.conditions.watch({ ...vanilla, sku: 'SKU-MINT' })).toMatchObject({
      code: 'not_found',
      message: 'SKU-MINT cannot be watched: it is not in stock, or has no reorder point',
    });
    expect(room.conditions.watch({ ...vanilla, id: ' ' })).toMatchObject({
      message: 'id must not be empty',
    });
    for (let i = 0; i < 100; i++) {
      need(room, `S${i}`, 0);
      expect(room.conditions.watch({ ...vanilla, id: `w${i}`, sku: `S${i}` }).ok).toBe(true);
    }
    expect(room.conditions.watch(vanilla)).toMatchObject({
      code: 'refused',
      message: '100 products are watched already, which is the most',
    });
    room.conditions.unwatch('w7');
    expect(room.conditions.watch(vanilla)).toMatchObject({ ok: true });
    expect(room.conditions.unwatch('vanila-low')).toMatchObject({
      code: 'not_found',
      hint: 'did you mean "vanilla-low"?',
    });
  });
});

describe('condition pass', () => {
  it('P5 one job for each observed shortage: episodes 1 and 2', async () => {
    const room = await shop();
    room.conditions.watch(vanilla);
    expect(room.conditionPass(1).admitted).toEqual([]);
    need(room, 'SKU-VANILLA', 6);
    expect(room.conditionPass(2).admitted).toEqual([1]);
    expect(room.conditionPass(3).admitted).toEqual([]);
    need(room, 'SKU-VANILLA', 0);
    expect(room.conditionPass(4).admitted).toEqual([]);
    need(room, 'SKU-VANILLA', 7);
    expect(room.conditionPass(5).admitted).toEqual([2]);
    expect(room.jobs()).toMatchObject([
      { source: 'stock-condition:vanilla-low:1', subject: 'SKU-VANILLA', session: 'shop' },
      { source: 'stock-condition:vanilla-low:2', subject: 'SKU-VANILLA', session: 'shop' },
    ]);
    expect(room.events('stock.condition.triggered')).toEqual([
      { condition: 'vanilla-low', subject: 'SKU-VANILLA', generation: 1, work: 1 },
      { condition: 'vanilla-low', subject: 'SKU-VANILLA', generation: 2, work: 2 },
    ]);
    expect(room.conditions.list()).toMatchObject([{ generation: 2, armed: false }]);
  });

  it('P5 a recovery that no pass saw leaves one shortage', async () => {
    const room = await shop();
    room.conditions.watch(vanilla);
    need(room, 'SKU-VANILLA', 6);
    room.conditionPass(1);
    need(room, 'SKU-VANILLA', 0);
    need(room, 'SKU-VANILLA', 7);
    expect(room.conditionPass(2).admitted).toEqual([]);
  });

  it('P5 a refused episode stays armed and takes no generation', async () => {
    const room = await shop(0);
    room.conditions.watch(vanilla);
    need(room, 'SKU-VANILLA', 6);
    expect(room.conditionPass(1)).toEqual({ admitted: [], problems: [], moved: 0 });
    expect(room.conditions.list()).toMatchObject([{ generation: 0, armed: true }]);
    room.capacity = 1;
    expect(room.conditionPass(2).admitted).toEqual([1]);
    expect(room.jobs()).toMatchObject([{ source: 'stock-condition:vanilla-low:1' }]);
  });

  it('P5 one product that cannot be observed does not stop the rest, and says so once', async () => {
    const room = await shop();
    room.conditions.watch({ ...vanilla, id: 'a', sku: 'SKU-CHOCOLATE' });
    room.conditions.watch({ ...vanilla, id: 'b', sku: 'SKU-STRAWBERRY' });
    room.conditions.watch({ ...vanilla, id: 'c' });
    room.needs.delete('SKU-CHOCOLATE');
    room.needs.set(
      'SKU-STRAWBERRY',
      new LullError('invalid', 'the count of SKU-STRAWBERRY is odd'),
    );
    need(room, 'SKU-VANILLA', 6);
    const told: unknown[] = [];
    const duty = createConditionDuty(room.conditionPass, (problem) => told.push(problem));
    expect(duty.runOnce(1)).toBe(3);
    expect(duty.runOnce(2)).toBe(0);
    expect(room.jobs()).toMatchObject([{ subject: 'SKU-VANILLA' }]);
    expect(told).toEqual([
      {
        condition: 'a',
        problem:
          'the need of SKU-CHOCOLATE is not known: it is not in stock, or has no reorder point',
      },
      { condition: 'b', problem: 'the count of SKU-STRAWBERRY is odd' },
    ]);
    need(room, 'SKU-CHOCOLATE', 4);
    expect(duty.runOnce(3)).toBe(1);
    expect(room.conditions.list().map((one) => one.problem)).toEqual([
      null,
      'the count of SKU-STRAWBERRY is odd',
      null,
    ]);
    expect(room.jobs()).toHaveLength(2);
  });

  it('P5 a database that fails is no problem of one product: the pass ends, nothing is kept', async () => {
    const room = await shop();
    room.conditions.watch(vanilla);
    room.needs.set('SKU-VANILLA', Object.assign(new Error('full'), { code: 'SQLITE_FULL' }));
    expect(() => room.conditionPass(1)).toThrow('full');
    expect(room.conditions.list()).toMatchObject([{ problem: null }]);
  });

  it('P5 removing a watch keeps its work; watching again arms it and goes on counting', async () => {
    const room = await shop();
    room.conditions.watch(vanilla);
    need(room, 'SKU-VANILLA', 6);
    room.conditionPass(1);
    room.conditions.unwatch('vanilla-low');
    expect(room.conditions.unwatch('vanilla-low')).toMatchObject({ value: { enabled: false } });
    expect(room.conditionPass(2).admitted).toEqual([]);
    expect(room.jobs()).toHaveLength(1);
    expect(room.conditions.watch(vanilla)).toMatchObject({
      value: { enabled: true, armed: true, generation: 1 },
    });
    expect(room.conditionPass(3).admitted).toEqual([2]);
    expect(room.jobs()[1]).toMatchObject({ source: 'stock-condition:vanilla-low:2' });
  });

  it('P7 a paused pass observes nothing, and a bounded one leaves the rest armed', async () => {
    const room = await shop();
    for (const sku of ['SKU-VANILLA', 'SKU-STRAWBERRY', 'SKU-CHOCOLATE']) {
      room.conditions.watch({ ...vanilla, id: sku, sku });
      need(room, sku, 1);
    }
    room.pause();
    expect(room.conditionPass(1).moved).toBe(0);
    room.resume();
    expect(room.conditionPass(2, 2).admitted).toHaveLength(2);
    expect(room.conditionPass(3, 2).admitted).toHaveLength(1);
    expect(() => room.conditionPass(4, 101)).toThrow(/1 to 100/);
  });

  it('P7 what the record throws leaves the episode armed and the work unstored', async () => {
    const room = await shop();
    room.conditions.watch(vanilla);
    need(room, 'SKU-VANILLA', 6);
    room.store.db.exec(`CREATE TRIGGER crash BEFORE INSERT ON events
      BEGIN SELECT RAISE(ABORT, 'crash between'); END`);
    expect(() => room.conditionPass(1)).toThrow('crash between');
    expect(room.jobs()).toEqual([]);
    expect(room.conditions.list()).toMatchObject([{ armed: true, generation: 0 }]);
  });

  it('P5 an episode whose name is taken by other work is a problem of that condition alone', async () => {
    const room = await shop();
    room.conditions.watch(vanilla);
    room.addTask({ text: 'Other work.', tier: 'routine', identity: 'x' });
    room.store.db.exec(
      "INSERT INTO jobs (kind, tier, num_ctx, class, priority, state, title, payload, source, created_at) VALUES ('brief', 'routine', 1, 'light', 50, 'queued', 't', '{}', 'stock-condition:vanilla-low:1', 1)",
    );
    need(room, 'SKU-VANILLA', 6);
    expect(room.conditionPass(1)).toMatchObject({
      admitted: [],
      problems: [{ condition: 'vanilla-low' }],
    });
    expect(room.conditions.list()).toMatchObject([{ armed: true, generation: 0 }]);
  });
});
