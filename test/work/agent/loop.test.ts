import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ModelError } from '../../../main/engine/models/server.ts';
import { loadConstitution } from '../../../main/work/agent/constitution.ts';
import { LIMITS, type LoopLimits, type LoopWork, runLoop } from '../../../main/work/agent/loop.ts';
import { type LoopState, newLoopState } from '../../../main/work/agent/loop-state.ts';
import { tool, toolbox } from '../../../main/work/agent/tools.ts';
import { FakeClock, settle } from '../../support/fake-clock.ts';
import {
  aContext,
  aJob,
  calls,
  type Move,
  type ScriptedModel,
  scriptedModel,
} from '../../support/scripted-model.ts';

const constitution = loadConstitution('resources');

/** A loop over two tools that count their runs: `echo` answers its argument, `big` a long text. */
function aLoop(limits: Partial<LoopLimits> = {}) {
  const runs: string[] = [];
  const tools = [
    tool({
      name: 'echo',
      description: 'Says it again.',
      effect: 'reads',
      schema: z.strictObject({ text: z.string() }),
      run({ text }) {
        runs.push(text);
        return { ok: true, value: text };
      },
    }),
    tool({
      name: 'big',
      description: 'Says much.',
      effect: 'reads',
      schema: z.strictObject({}),
      run: () => ({ ok: true, value: 'x'.repeat(20_000) }),
    }),
  ];
  const work: LoopWork = {
    parts: { constitution, role: 'r', retrieved: [], history: [], tools: [], task: 'Do it.' },
    toolbox: toolbox(tools, { subject: null, maxCharacters: 24_000 }),
    limits: { ...LIMITS, ...limits },
    token: (state) => state,
  };
  return { work, runs };
}

function start(model: ScriptedModel, limits: Partial<LoopLimits> = {}) {
  const { work, runs } = aLoop(limits);
  const context = aContext(aJob(), model);
  return { context, runs, result: runLoop(context, work, newLoopState(0)) };
}

async function ended(moves: (Move | Move[])[], limits: Partial<LoopLimits> = {}) {
  const model = scriptedModel(moves);
  const { context, runs, result } = start(model, limits);
  const done = await result;
  if (done.kind !== 'ended') throw new Error(JSON.stringify(done.outcome));
  return { ...done, model, context, runs };
}

async function stopped(moves: (Move | Move[])[], numCtx?: number) {
  const model = scriptedModel(moves, numCtx ? { numCtx } : {});
  const done = await start(model).result;
  if (done.kind !== 'stopped') throw new Error(done.state.ended ?? '');
  return { ...done, model };
}

const echo = (text: string) => calls(['echo', { text }]);

describe('loop', () => {
  it('A3 a run asks, answers the calls and ends with the model’s own words', async () => {
    const { state, model, runs } = await ended([echo('one'), { text: 'Done.' }]);
    expect(runs).toEqual(['one']);
    expect(state).toMatchObject({ ended: 'completed', turns: 2, toolCalls: 1, malformedCalls: 0 });
    expect(state.exchange).toEqual([
      { role: 'assistant', content: '', toolCalls: echo('one').toolCalls },
      { role: 'tool', toolCallId: 'c0', toolName: 'echo', content: '{"ok":true,"value":"one"}' },
      { role: 'assistant', content: 'Done.' },
    ]);
    expect(model.asked[1]?.messages.slice(-2)).toEqual(state.exchange.slice(0, 2));
    expect(model.asked[0]?.tools.map((spec) => spec.name)).toEqual(['echo', 'big']);
  });

  it('A3 unknown tools and arguments the schema refuses are answered, counted and kept raw', async () => {
    const { state, runs } = await ended([
      calls(['rm', { path: '/' }], ['echo', '{"text": "ha'], ['echo', { txt: 1 }]),
      echo('right'),
      { text: 'Sorry.' },
    ]);
    expect(state).toMatchObject({ ended: 'completed', malformedCalls: 3, toolCalls: 4 });
    expect(runs).toEqual(['right']);
    const answers = state.exchange.flatMap((m) =>
      m.role === 'tool' ? [JSON.parse(m.content)] : [],
    );
    expect(answers.slice(0, 3)).toEqual([
      { ok: false, error: 'there is no such tool; the tools are: echo, big' },
      { ok: false, error: 'the arguments are not one JSON object' },
      { ok: false, error: expect.stringMatching(/^text: .*; arguments: .*txt/) },
    ]);
    expect(state.exchange[0]).toMatchObject({ toolCalls: [{}, { arguments: '{"text": "ha' }, {}] });
  });

  it('A3 text that looks like a call is not carried out', async () => {
    const text = '<tool_call>{"name": "echo", "arguments": {"text": "x"}}</tool_call>';
    const { state, runs } = await ended([{ text }]);
    expect(runs).toEqual([]);
    expect(state).toMatchObject({ ended: 'completed', toolCalls: 0 });
  });

  it('A3 an empty last answer and one cut at its length are told apart', async () => {
    expect((await ended([{ text: ' \n' }])).state.ended).toBe('empty');
    expect((await ended([{ text: '', ended: 'length' }])).state.ended).toBe('empty');
    expect((await ended([{ text: 'Half a', ended: 'length' }])).state.ended).toBe('cut-off');
  });

  it('A3 a run ends at its limit of turns, of output tokens and of time', async () => {
    expect((await ended([echo('again')])).state).toMatchObject({ ended: 'turn-limit', turns: 8 });
    const wordy = { ...echo('again'), outputTokens: 100 };
    const short = await ended([wordy], { outputTokens: 250 });
    expect(short.state).toMatchObject({ ended: 'token-limit', turns: 3 });
    expect(short.model.asked.map((request) => request.maxOutputTokens)).toEqual([250, 150, 50]);

    const clock = new FakeClock();
    const slow: Move = async () => {
      await clock.advance(60_000);
      return echo('again');
    };
    const { work } = aLoop({ wallMs: 150_000 });
    const context = aContext(aJob(), scriptedModel([slow]), { clock });
    const { state } = await runLoop(context, work, newLoopState(0));
    expect(state).toMatchObject({ turns: 3, elapsedMs: 180_000 });
  });

  it('A3 calls beyond the limit are refused, and one more turn is given to conclude', async () => {
    const three = calls(['echo', { text: '1' }], ['echo', { text: '2' }], ['echo', { text: '3' }]);
    const concluded = await ended([three, { text: 'Fine.' }], { toolCalls: 2 });
    expect(concluded.runs).toEqual(['1', '2']);
    expect(concluded.state).toMatchObject({ ended: 'completed', toolCalls: 2 });
    expect(concluded.state.exchange[3]).toMatchObject({
      content: '{"error":"no more than 2 calls: answer with what you have","ok":false}',
    });
    const stubborn = await ended([three], { toolCalls: 2 });
    expect(stubborn.runs).toEqual(['1', '2']);
    expect(stubborn.state).toMatchObject({ ended: 'call-limit', turns: 2 });
  });

  it('A3 an answer never gets more room than the window leaves, nor less than the reserve', async () => {
    const { model } = await ended([calls(['big', {}]), calls(['big', {}]), { text: 'Done.' }]);
    for (const { maxOutputTokens } of model.asked) {
      expect(maxOutputTokens).toBeGreaterThanOrEqual(1024);
      expect(maxOutputTokens).toBeLessThan(8192);
    }
  });

  it('A1 tool output that does not fit is cut for the model, and kept whole in the transcript', async () => {
    const { state, model } = await ended([calls(['big', {}], ['big', {}]), { text: 'Done.' }]);
    expect(state.outputCut).toBe(true);
    const last = model.asked[1]?.messages.at(-1)?.content;
    expect(last).toMatch(/\[cut: \d+ of 20022 characters fit the window\]$/);
    expect(state.exchange[2]?.content.length).toBe(20_022);
  });

  it('A1 a frame too large for the window fails the job and names the setting', async () => {
    const { outcome, model } = await stopped([{ text: 'x' }], 1200);
    expect(model.asked).toEqual([]);
    expect(outcome).toEqual({
      kind: 'failed',
      error: expect.stringMatching(
        /needs a window of \d+ tokens and synthesis has 1200: set models.tiers.synthesis.numCtx to 2048 or more/,
      ),
    });
  });

  it('A1 a run whose own words outgrow the window ends there', async () => {
    const prattle = { ...echo('a'), text: 'y'.repeat(12_000), outputTokens: 10 };
    const { state } = await ended([prattle]);
    expect(state).toMatchObject({ ended: 'window-limit', turns: 3 });
    expect(state.peakTokens).toBeGreaterThan(8192);
  });

  it('A1 the server’s own count stretches the estimate, an impossible one does not', async () => {
    const dense = await ended([{ ...echo('a'), promptTokens: 1000 }, { text: 'Done.' }]);
    expect(dense.state.tokenScale).toBeGreaterThan(1.5);
    const absurd = await ended([{ ...echo('a'), promptTokens: 2 ** 52 }, { text: 'Done.' }]);
    expect(absurd.state.tokenScale).toBe(1);
    const fewer = await ended([{ ...echo('a'), promptTokens: 3 }, { text: 'Done.' }]);
    expect(fewer.state.tokenScale).toBe(1);
  });

  it('A1 a prompt the server finds too long is trimmed harder, and fails only in the end', async () => {
    const tooLong = new ModelError('context_too_long', 'too long');
    const big = calls(['big', {}]);
    const { state, model } = await ended([big, [tooLong, { text: 'Done.' }]]);
    expect(state.ended).toBe('completed');
    const [, first, second] = model.asked.map(({ messages }) => JSON.stringify(messages).length);
    expect(second).toBeLessThan((first as number) * 0.9);
    const { outcome } = await stopped([tooLong], 100_000);
    expect(outcome).toEqual({
      kind: 'failed',
      error: 'the model failed (context too long): too long',
    });
  });

  it('A3 each finished turn is checkpointed whole before the run asks whether to yield', async () => {
    const { context, state } = await ended([echo('one'), echo('two'), { text: 'Done.' }]);
    const saved = context.checkpoints as LoopState[];
    expect(saved.map((token) => [token.turns, token.exchange.length, token.ended])).toEqual([
      [1, 2, null],
      [2, 4, null],
      [3, 5, 'completed'],
    ]);
    expect(saved.at(-1)).toEqual(state);
  });

  it('A3 a run asked to yield returns at its next step and repeats no finished call on resuming', async () => {
    const moves = [echo('one'), echo('two'), { text: 'Done.' }];
    const { work, runs } = aLoop();
    const first = aContext(aJob(), scriptedModel(moves), { yieldAt: 1 });
    expect(await runLoop(first, work, newLoopState(0))).toMatchObject({
      kind: 'stopped',
      outcome: { kind: 'yielded', cause: 'returned' },
    });
    expect(runs).toEqual(['one']);
    const again = aContext(aJob(), scriptedModel(moves));
    const { state } = await runLoop(again, work, first.checkpoints[0] as LoopState);
    expect(runs).toEqual(['one', 'two']);
    expect(state).toMatchObject({ ended: 'completed', turns: 3 });
  });

  it('A3 a run that finished is landed although it is asked to yield', async () => {
    const context = aContext(aJob(), scriptedModel([{ text: 'Done.' }]), { yieldAt: 0 });
    expect(await runLoop(context, aLoop().work, newLoopState(0))).toMatchObject({ kind: 'ended' });
  });

  it('A3 a run resumed at any steps equals one that was never interrupted', async () => {
    const turn = fc.oneof(
      fc.array(fc.string(), { minLength: 1, maxLength: 3 }).map((texts) => ({
        ...calls(...texts.map((text): [string, Record<string, unknown>] => ['echo', { text }])),
        promptTokens: 900,
      })),
      fc.constant(calls(['none', {}], ['echo', 'not json'])),
      fc.constant(calls(['big', {}])),
    );
    const last = fc.constantFrom<Move>({ text: 'Done.' }, { text: '' }, echo('for ever'));
    await fc.assert(
      fc.asyncProperty(
        fc.array(turn, { maxLength: 7 }),
        last,
        fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 8 }),
        async (turns, end, pauses) => {
          const moves: Move[] = [...turns, end];
          const whole = aLoop({ toolCalls: 9 });
          const context = aContext(aJob(), scriptedModel(moves));
          const expected = await runLoop(context, whole.work, newLoopState(0));

          const parts = aLoop({ toolCalls: 9 });
          let state = newLoopState(0);
          let result = expected;
          for (const yieldAt of [...pauses, Number.POSITIVE_INFINITY]) {
            const next = aContext(aJob(), scriptedModel(moves), { yieldAt });
            result = await runLoop(next, parts.work, state);
            if (result.kind === 'ended') break;
            state = next.checkpoints.at(-1) as LoopState;
          }
          expect(result).toEqual(expected);
          expect(parts.runs).toEqual(whole.runs);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('A3 an abort stops the wait for a model that does not listen, and the step is not kept', async () => {
    const never: Move = () => new Promise(() => {});
    const { context, result } = start(scriptedModel([echo('one'), never]));
    await settle();
    context.abort();
    expect(await result).toMatchObject({
      kind: 'stopped',
      outcome: { kind: 'yielded', cause: 'returned' },
      state: { turns: 1 },
    });
    expect(context.checkpoints).toHaveLength(1);
  });

  it('A3 a broken answer is asked for again at once, twice; then the job retries with back-off', async () => {
    const broken = new ModelError('malformed', 'no JSON');
    const clock = new FakeClock();
    const { work } = aLoop();
    const lucky = scriptedModel([[broken, broken, { text: 'Done.' }]]);
    const result = runLoop(aContext(aJob(), lucky, { clock }), work, newLoopState(0));
    await clock.advance(60_000);
    expect(await result).toMatchObject({ kind: 'ended', state: { turns: 1 } });

    const model = scriptedModel([broken]);
    const context = aContext(aJob({ attempts: 2 }), model, { clock });
    const failing = runLoop(context, work, newLoopState(0));
    await clock.advance(60_000);
    expect(await failing).toMatchObject({
      outcome: { kind: 'retry', error: 'the model failed (malformed): no JSON', afterMs: 2000 },
    });
    expect(model.asked).toHaveLength(3);
  });

  it('A3 a fault waits, retries or fails by its class', async () => {
    const outcomeOf = async (fault: ConstructorParameters<typeof ModelError>[0]) =>
      (await stopped([new ModelError(fault, 'it said')])).outcome;
    const now = new FakeClock().now();
    expect(await outcomeOf('unreachable')).toEqual({
      kind: 'deferred',
      code: 'model-unreachable',
      reason: 'the model server cannot be reached: it said',
      reviveAt: now + 30_000,
    });
    expect(await outcomeOf('out_of_memory')).toMatchObject({ code: 'model-out-of-memory' });
    expect(await outcomeOf('busy')).toMatchObject({ kind: 'deferred' });
    expect(await outcomeOf('loading')).toMatchObject({ kind: 'deferred' });
    expect(await outcomeOf('stalled')).toMatchObject({ kind: 'retry' });
    expect(await outcomeOf('server')).toMatchObject({ kind: 'retry' });
    expect(await outcomeOf('not_found')).toMatchObject({ kind: 'failed' });
    expect(await outcomeOf('unsupported')).toMatchObject({ kind: 'failed' });
  });

  it('A3 what is not a fault of the model is not swallowed', async () => {
    await expect(start(scriptedModel([new TypeError('a defect')])).result).rejects.toThrow(
      'a defect',
    );
  });

  it('A3 streamed text is told as progress, once a second', async () => {
    const clock = new FakeClock();
    const slowly: Move = async ({ onText }) => {
      for (let i = 0; i < 6; i++) {
        onText?.('four');
        await clock.advance(500);
      }
      return {};
    };
    const model = scriptedModel([slowly]);
    const context = aContext(aJob(), model, { clock });
    await runLoop(context, aLoop().work, newLoopState(0));
    expect(context.progressed.map((progress) => progress.done)).toEqual([4, 12, 20]);
    expect(context.progressed[0]).toEqual({ done: 4, total: null, unit: 'characters' });
  });
});
