import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../main/base/clock.ts';
import { ModelError } from '../../../main/engine/models/server.ts';
import { offlineServer } from '../../../main/engine/models/servers/offline.ts';
import type { Job } from '../../../main/engine/queue/job.ts';
import type { ModelHandle, Outcome } from '../../../main/engine/supervisor/handler.ts';
import { ConstitutionError } from '../../../main/work/agent/constitution.ts';
import { orderBody, reportBody, textBody } from '../../../main/work/agent/draft-body.ts';
import type { Remembered } from '../../../main/work/agent/history.ts';
import { briefKind } from '../../../main/work/shop/brief.ts';
import {
  aContext,
  aJob,
  calls,
  landed,
  type Move,
  scriptedModel,
} from '../../support/scripted-model.ts';
import { lineOf, SEED, stockOf } from '../../support/seed-stock.ts';
import { temporaryFolder } from '../../support/store.ts';

const RESOURCES = 'resources';
const ask = { payload: { prompt: 'Prepare the opening replenishment draft.' } };
const listThen = (...moves: Move[]): Move[] => [calls(['list_stock', {}]), ...moves];
const draftBoth = calls(
  ['draft_order', { sku: 'SKU-STRAWBERRY', quantity: 4 }],
  ['draft_order', { sku: 'SKU-VANILLA', quantity: 6 }],
);
const draftVanilla = calls(['draft_order', { sku: 'SKU-VANILLA', quantity: 6 }]);
const vanillaJob = { ...ask, subject: 'SKU-VANILLA', source: 'stock-condition:vanilla-low:1' };

function run(
  moves: Move[],
  job: Partial<Job> = ask,
  { stock = stockOf(SEED), history = [] as Remembered[] } = {},
) {
  const kind = briefKind({ stock, history: () => history, resources: RESOURCES });
  const model = scriptedModel(moves);
  return { model, outcome: kind.run(aContext(aJob(job), model)) };
}

async function draftOf(moves: Move[], job: Partial<Job> = ask, parts = {}) {
  const landing = landed(await run(moves, job, parts).outcome);
  if (!landing.draft) throw new Error('no draft');
  return { landing, draft: landing.draft };
}

describe('brief', () => {
  it('A5 the opening brief drafts 4 strawberry for $11.00 and 6 vanilla for $15.00, $26.00 in all', async () => {
    const { landing, draft } = await draftOf(listThen(draftBoth, { text: 'Two drafts.' }), {
      ...ask,
      source: 'job:morning@1:1780000000000',
      session: 'shop',
    });
    expect(draft).toMatchObject({
      kind: 'order',
      title: 'Prepare the opening replenishment draft',
      subject: null,
      topic: 'schedule:morning',
      totalCents: 2600,
      currency: 'USD',
      model: 'script:1b (Script)',
    });
    const body = orderBody.parse(draft.body);
    expect(body.lines.map((line) => [line.sku, line.quantity, line.totalCents])).toEqual([
      ['SKU-STRAWBERRY', 4, 1100],
      ['SKU-VANILLA', 6, 1500],
    ]);
    expect(body.notes).toBe('Two drafts.');
    expect(body.steps).toEqual({
      count: 3,
      millis: 0,
      tools: ['list_stock', 'draft_order', 'draft_order'],
    });
    expect(landing.result).toBe('Order draft: 2 items, $26.00');
    expect(landing.remember).toEqual({
      prompt: ask.payload.prompt,
      result: '- "SKU-STRAWBERRY": 4 tubs, $11.00\n- "SKU-VANILLA": 6 tubs, $15.00\nTotal: $26.00',
    });
  });

  it('A5 a model that misstates the total changes nothing', async () => {
    const stock = stockOf(SEED);
    stock.set('SKU-VANILLA', { onHand: 1, needed: 7 });
    const seven = calls(['draft_order', { sku: 'SKU-VANILLA', quantity: 7 }]);
    const history = [{ prompt: 'Before', result: '- "SKU-VANILLA": 6 tubs, $15.00' }];
    const honest = await draftOf(listThen(seven, { text: '' }), vanillaJob, { stock, history });
    const lying = await draftOf(
      listThen(seven, { text: 'I drafted seven tubs for $15.00.' }),
      vanillaJob,
      { stock, history },
    );
    expect(lying.draft).toMatchObject({
      title: 'Replenish Vanilla',
      topic: 'order:SKU-VANILLA',
      totalCents: 1750,
    });
    expect(lying.landing.result).toBe('Order draft: 7 tubs of Vanilla, $17.50');
    expect(orderBody.parse(lying.draft.body).lines).toEqual(
      orderBody.parse(honest.draft.body).lines,
    );
    expect(lying.landing.transcript?.messages.at(-1)).toEqual({
      role: 'assistant',
      content: 'I drafted seven tubs for $15.00.',
    });
  });

  it('A4 strawberry is refused in vanilla’s scope, whatever the model remembers', async () => {
    const history = [{ prompt: 'All of it', result: '- "SKU-STRAWBERRY": 4 tubs, $11.00' }];
    const { draft } = await draftOf(listThen(draftBoth, { text: 'Both.' }), vanillaJob, {
      history,
    });
    const body = orderBody.parse(draft.body);
    expect(body.lines.map((line) => line.sku)).toEqual(['SKU-VANILLA']);
    expect(body.provenance).not.toContain('Strawberry');
  });

  it('A5 a wrong quantity, an unknown SKU and malformed arguments leave the draft unaffected', async () => {
    const bad = calls(
      ['draft_order', { sku: 'SKU-VANILLA', quantity: 60 }],
      ['draft_order', { sku: 'SKU-NONE', quantity: 1 }],
      ['draft_order', '{"sku":"SKU-VANILLA"'],
      ['draft_order', { sku: 'SKU-VANILLA', quantity: 'six' }],
    );
    const { draft } = await draftOf(listThen(bad, draftBoth, bad, { text: 'Done.' }));
    expect(draft).toMatchObject({ kind: 'order', totalCents: 2600 });
    expect(orderBody.parse(draft.body).lines).toHaveLength(2);
  });

  it('A5 an order that leaves out what is needed says so', async () => {
    const stock = stockOf([
      ...SEED,
      lineOf({ sku: 'M', name: 'Mango', reorderPoint: 3, unitCostCents: null }),
    ]);
    const { draft } = await draftOf(listThen(draftVanilla, { text: 'Done.' }), ask, { stock });
    expect(draft.title).toBe('Replenish Vanilla');
    expect(orderBody.parse(draft.body).provenance).toBe(
      'Figures come from the stock and price tools, not from the model’s words. ' +
        'Needed too, and not drafted: Mango (3 tubs, no price known), Strawberry (4 tubs).',
    );
  });

  it('A5 a model that only claims to have drafted gives marked words, and the need is named', async () => {
    const { landing, draft } = await draftOf(
      listThen({ text: 'I drafted seven tubs for $15.00.' }),
    );
    expect(draft).toMatchObject({ kind: 'text', totalCents: null });
    expect(textBody.parse(draft.body)).toMatchObject({
      text: 'I drafted seven tubs for $15.00.',
      provenance:
        'Written by script:1b (Script), not checked. ' +
        'Needed, and not drafted: Strawberry (4 tubs), Vanilla (6 tubs).',
    });
    expect(landing.result).not.toContain('$');
  });

  it('A5 where nothing is needed, a report from the tools says so, whatever the model claims', async () => {
    const stock = stockOf(SEED.map((line) => ({ ...line, onHand: 12, needed: 0 })));
    const claim = { text: 'Order 3 tubs at once, $900!' };
    const { landing, draft } = await draftOf(listThen(claim), ask, { stock });
    expect(draft).toMatchObject({
      kind: 'report',
      title: 'Nothing needs ordering',
      totalCents: null,
    });
    const body = reportBody.parse(draft.body);
    expect(body.runAgain).toBeNull();
    expect(body.text).toBe(
      'Nothing needs ordering: none of 3 products is below its reorder point.\n\n' +
        'Words of script:1b (Script), not checked:\nOrder 3 tubs at once, $900!',
    );
    expect(landing.result).not.toContain('$');
    const one = await draftOf(listThen({ text: '' }), vanillaJob, { stock });
    expect(one.draft).toMatchObject({ title: 'Vanilla needs nothing', topic: 'order:SKU-VANILLA' });
    expect(textBody.parse(one.draft.body).text).toBe(
      'Vanilla needs nothing: 12 tubs on hand, reorder point 8.',
    );
  });

  it('A5 nothing is reported as not needed while a sale or a delivery says otherwise', async () => {
    const full = SEED.map((line) => ({ ...line, onHand: 12, needed: 0 }));
    const sold = stockOf(full);
    const sale: Move = async () => {
      sold.set('SKU-VANILLA', { onHand: 1, needed: 7 });
      return { text: 'All is well.' };
    };
    const after = await draftOf(listThen(sale), ask, { stock: sold });
    expect(after.draft.kind).toBe('text');
    expect(textBody.parse(after.draft.body).provenance).toContain('Vanilla (7 tubs)');
    const stock = stockOf(SEED);
    const delivery: Move = async () => {
      for (const line of full) stock.set(line.sku, line);
      return { text: 'Order vanilla.' };
    };
    expect((await draftOf(listThen(delivery), ask, { stock })).draft.kind).toBe('text');
  });

  it('A5 a drafted line that cannot be trusted fails the job and lands no draft', async () => {
    const stock = stockOf(SEED.map((line) => ({ ...line, name: '' })));
    const outcome = await run(listThen(draftBoth, { text: 'Done.' }), ask, { stock }).outcome;
    expect(outcome).toMatchObject({
      kind: 'failed',
      error: expect.stringMatching(
        /^a drafted order line cannot be trusted: name must not be empty/,
      ),
      landing: { transcript: { status: 'failed' } },
    });
    expect(outcome).not.toHaveProperty('landing.draft');
  });

  it('A5 words about something else are not replaced by a report on the stock', async () => {
    const stock = stockOf(SEED.map((line) => ({ ...line, needed: 0 })));
    const { draft } = await draftOf([{ text: 'A haiku.' }], ask, { stock });
    expect(draft.kind).toBe('text');
    expect(textBody.parse(draft.body).text).toBe('A haiku.');
  });

  it('A5 a run that a limit stopped makes no order and supersedes nothing, and tells what it drafted', async () => {
    const again = calls(['draft_order', { sku: 'SKU-VANILLA', quantity: 6 }]);
    const { draft } = await draftOf([again], vanillaJob);
    expect(draft).toMatchObject({ kind: 'report', topic: null, totalCents: null });
    const body = reportBody.parse(draft.body);
    expect(body.runAgain).toBe(7);
    expect(body.text).toContain('- "SKU-VANILLA": 6 tubs, $15.00');
    expect(body.provenance).toContain('stopped after 8 turns');
  });

  it('A3 an empty last answer after the drafts leaves an order, before them a plain report', async () => {
    const drafted = await draftOf(listThen(draftBoth, { text: '' }));
    expect(drafted.draft.kind).toBe('order');
    expect(orderBody.parse(drafted.draft.body).provenance).toContain('answer was empty');
    const nothing = await draftOf([{ text: '' }]);
    expect(nothing.draft.kind).toBe('report');
    expect(textBody.parse(nothing.draft.body)).toMatchObject({
      text: 'The model gave no answer, and nothing was drafted.',
      provenance: 'Written by Lull. The model’s last answer was empty.',
    });
  });

  it('A3 the transcript keeps the whole dialogue raw, with its usage', async () => {
    const { landing } = await draftOf(
      listThen(calls(['nope', 'x']), { text: 'Bye.' }),
      {
        ...ask,
        session: 's',
      },
      { history: [{ prompt: 'old', result: 'older' }] },
    );
    const { transcript } = landing;
    expect(transcript).toMatchObject({
      status: 'completed',
      model: 'script:1b (Script)',
      usage: { turns: 3, millis: 0 },
    });
    const messages = (transcript?.messages ?? []) as { role: string }[];
    const roles = messages.map((message) => message.role);
    expect(roles.join(' ')).toBe(
      'system system user assistant user assistant tool assistant tool assistant',
    );
    expect(messages[7]).toEqual({
      role: 'assistant',
      content: '',
      toolCalls: [{ id: 'c0', name: 'nope', arguments: 'x' }],
    });
  });

  it('A3 a model that fails for good fails the job, and what was said so far is kept', async () => {
    const outcome = await run(listThen(new ModelError('unsupported', 'no tools'))).outcome;
    expect(outcome).toMatchObject({
      kind: 'failed',
      error: 'the model failed (unsupported): no tools',
      landing: { transcript: { status: 'failed' } },
    });
    expect(outcome.kind === 'failed' && outcome.landing?.transcript?.messages).toHaveLength(5);
    expect(outcome.kind === 'failed' && outcome.landing?.draft).toBeUndefined();
  });

  it('A2 constitution, role and scope frame the prompt, history before the task', async () => {
    const history = [{ prompt: 'old', result: 'older' }];
    const { model, outcome } = run([{ text: 'x' }], { ...vanillaJob, session: 's' }, { history });
    await outcome;
    const messages = model.asked[0]?.messages ?? [];
    expect(messages[0]?.content).toMatch(/^# Constitution/);
    expect(messages[1]?.content).toMatch(/This work concerns the product SKU-VANILLA only\.$/);
    expect(messages.slice(2).map((message) => message.content)).toEqual([
      'old',
      'older',
      ask.payload.prompt,
    ]);
    const alone = run([{ text: 'x' }], ask, { history });
    await alone.outcome;
    expect(alone.model.asked[0]?.messages).toHaveLength(3);
  });

  it('A2 no brief is made under a changed constitution', () => {
    const dir = temporaryFolder();
    cpSync(RESOURCES, dir, { recursive: true });
    writeFileSync(join(dir, 'constitution.md'), 'Buy everything.');
    const parts = { stock: stockOf(SEED), history: () => [], resources: dir };
    expect(() => briefKind(parts)).toThrow(ConstitutionError);
  });

  it('A3 a payload that is none fails in one line', async () => {
    await expect(run([{ text: 'x' }], { payload: { text: 'x' } }).outcome).rejects.toThrow(
      /^the payload of this brief is wrong: prompt (must|is) /,
    );
  });

  it('A3 many needs get the turns to draft them one by one', async () => {
    const many = Array.from({ length: 30 }, (_, i) =>
      lineOf({ sku: `S${i + 10}`, reorderPoint: 2 }),
    );
    const moves = many.map(({ sku }): Move => calls(['draft_order', { sku, quantity: 2 }]));
    const { draft } = await draftOf(listThen(...moves, { text: 'All.' }), ask, {
      stock: stockOf(many),
    });
    expect(draft).toMatchObject({ kind: 'order', totalCents: 6000 });
  });

  it('A3 a brief resumed at any step lands what an uninterrupted one lands', async () => {
    const draft = (sku: string, quantity: number) => calls(['draft_order', { sku, quantity }]);
    const move = fc.constantFrom(
      calls(['list_stock', {}]),
      draft('SKU-VANILLA', 6),
      draft('SKU-STRAWBERRY', 4),
      draft('SKU-STRAWBERRY', 40),
      calls(['supplier', { sku: 'SKU-VANILLA' }]),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(move, { maxLength: 6 }),
        fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 6 }),
        async (moves, pauses) => {
          const script = [...moves, { text: 'Done, $1.' }];
          const whole = await run(script, { ...ask, session: 's' }).outcome;
          let reads = 0;
          const kind = briefKind({
            stock: stockOf(SEED),
            // What the session learns meanwhile must not reach a run that has begun.
            history: () => (reads++ === 0 ? [] : [{ prompt: 'new', result: 'news' }]),
            resources: RESOURCES,
          });
          let outcome: Outcome = whole;
          let checkpoint: unknown = null;
          for (const yieldAt of [...pauses, Number.POSITIVE_INFINITY]) {
            const job = aJob({ ...ask, session: 's', checkpoint });
            const context = aContext(job, scriptedModel(script), { yieldAt });
            outcome = await kind.run(context);
            if (outcome.kind !== 'yielded') break;
            checkpoint = context.checkpoints.at(-1);
          }
          expect(outcome).toEqual(whole);
        },
      ),
      { numRuns: 50 },
    );
  });

  it('A3 a token that another version wrote starts the run anew', async () => {
    const { draft } = await draftOf(listThen(draftBoth, { text: 'x' }), {
      ...ask,
      checkpoint: { version: 0, step: 3 },
    });
    expect(draft.totalCents).toBe(2600);
  });

  it('A6 the offline model drafts the seed’s order by itself and says what it is', async () => {
    const server = offlineServer({ clock: systemClock() });
    const model: ModelHandle = {
      label: server.label,
      model: 'offline',
      numCtx: 8192,
      chat: (request) =>
        server.chat(
          { ...request, model: 'offline', numCtx: 8192, keepAliveMinutes: null },
          new AbortController().signal,
        ),
    };
    const kind = briefKind({ stock: stockOf(SEED), history: () => [], resources: RESOURCES });
    const { draft } = landed(await kind.run(aContext(aJob(ask), model)));
    expect(draft).toMatchObject({ kind: 'order', totalCents: 2600, model: server.label });
  });
});
