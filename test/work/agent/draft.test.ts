import { describe, expect, it } from 'vitest';
import {
  type Finished,
  orderDraft,
  orderLineFor,
  reportDraft,
  shownModel,
  textDraft,
  titleFrom,
  topicOf,
} from '../../../main/work/agent/draft.ts';
import { orderBody, textBody } from '../../../main/work/agent/draft-body.ts';
import { recentTurns } from '../../../main/work/agent/history.ts';
import { ENDINGS, type Ending, newLoopState } from '../../../main/work/agent/loop-state.ts';
import { aJob, scriptedModel } from '../../support/scripted-model.ts';

const line = {
  sku: 'A',
  name: 'Apples',
  unit: 'kg',
  quantity: 2,
  unitCostCents: 150,
  totalCents: 300,
};
const order = { lines: [line], totalCents: 300, currency: 'EUR' };

function finished(ended: Ending = 'completed', job = aJob()): Finished {
  const model = scriptedModel([], { model: 'qwen3:8b', label: 'Ollama' });
  const state = {
    ...newLoopState(0),
    ended,
    turns: 3,
    elapsedMs: 1200,
    exchange: ['list_stock', 'rm -rf', 'draft_order', 'draft_order'].map((toolName) => ({
      role: 'tool' as const,
      toolCallId: 'c',
      toolName,
      content: '{"ok":true}',
    })),
  };
  return { job, model, state, tools: ['list_stock', 'draft_order'], remarks: ['And this.'] };
}

describe('draft', () => {
  it('A5 an order draft keeps figures and the model’s words apart, and says how it came about', () => {
    const draft = orderDraft(finished(), 'Replenish Apples', order, 'It costs $99.');
    expect(draft).toMatchObject({
      kind: 'order',
      title: 'Replenish Apples',
      totalCents: 300,
      currency: 'EUR',
      model: 'qwen3:8b (Ollama)',
    });
    expect(orderBody.parse(draft.body)).toEqual({
      lines: [line],
      notes: 'It costs $99.',
      provenance:
        'Figures come from the stock and price tools, not from the model’s words. And this.',
      steps: { count: 3, millis: 1200, tools: ['list_stock', 'draft_order', 'draft_order'] },
    });
  });

  it('A5 a text draft is marked with who wrote it and that nobody checked it', () => {
    const draft = textDraft(finished(), 'A poem', 'Roses');
    expect(draft).toMatchObject({ kind: 'text', totalCents: null, currency: null });
    const body = textBody.parse(draft.body);
    expect(body.text).toBe('Roses');
    expect(body.provenance).toBe('Written by qwen3:8b (Ollama), not checked. And this.');
  });

  it('A3 every way a run ends other than well is said in its draft', () => {
    const said = ENDINGS.map((ended) => {
      const draft = reportDraft(finished(ended), 't', 'x', 'Source.', null);
      return textBody.parse(draft.body).provenance.replace('Source. ', '').replace('And this.', '');
    });
    expect(said[0]).toBe('');
    expect(new Set(said).size).toBe(ENDINGS.length);
    for (const sentence of said.slice(1)) expect(sentence).toMatch(/^[A-Z].*\. $/);
  });

  it('A1 a run that outgrew its window says which window would do', () => {
    const run = finished('window-limit');
    run.state.peakTokens = 9000;
    expect(textBody.parse(textDraft(run, 't', 'x').body).provenance).toContain(
      'models.tiers.synthesis.numCtx must be 11264 or more',
    );
  });

  it('A3 an answer that holds a call as text says that it was not carried out', () => {
    for (const content of [
      '<function=draft_order>{"sku":"A"}</function>',
      '{"name": "draft_order", "arguments": {"sku": "A"}}',
    ]) {
      const run = finished();
      run.state.exchange = [{ role: 'assistant', content }];
      expect(textBody.parse(textDraft(run, 't', content).body).provenance).toContain(
        'not carried out',
      );
    }
  });

  it('A5 a title is the first line of what was asked, short and without its full stop', () => {
    expect(titleFrom('Prepare the opening replenishment draft.\nAnd more')).toBe(
      'Prepare the opening replenishment draft',
    );
    expect(titleFrom('  \n ')).toBe('Untitled');
    expect(titleFrom('word '.repeat(40))).toBe(`${'word '.repeat(16).trim().slice(0, 79)}…`);
    expect(titleFrom('x'.repeat(300))).toHaveLength(80);
  });

  it('A5 a newer draft of one subject or one schedule supersedes the older, half work nothing', () => {
    const schedule = (source: string) => topicOf(aJob({ source }), 'order', 'completed');
    expect(schedule('job:morning@2:1780000000000')).toBe('schedule:morning');
    expect(schedule('job:a@b:c@12:-5')).toBe('schedule:a@b:c');
    expect(schedule('manual:x')).toBeNull();
    expect(schedule('stock-condition:job:1')).toBeNull();
    const subject = aJob({ subject: 'SKU-A', source: 'stock-condition:low:1' });
    expect(topicOf(subject, 'order', 'completed')).toBe('order:SKU-A');
    expect(topicOf(subject, 'report', 'empty')).toBe('order:SKU-A');
    expect(topicOf(subject, 'text', 'completed')).toBeNull();
    expect(topicOf(subject, 'report', 'turn-limit')).toBeNull();
  });

  it('A5 lists show one line for an order', () => {
    expect(orderLineFor(order)).toBe('Order draft: 2 kg of Apples, €3.00');
    const two = { ...order, lines: [line, { ...line, sku: 'B' }], totalCents: 600 };
    expect(orderLineFor(two)).toBe('Order draft: 2 items, €6.00');
  });

  it('A6 the model is shown by name and by a label that says more', () => {
    expect(shownModel({ model: 'qwen3:8b', label: 'Ollama' })).toBe('qwen3:8b (Ollama)');
    const label = 'Lull’s offline model (no AI)';
    expect(shownModel({ model: 'offline', label })).toBe(label);
    expect(shownModel({ model: 'x', label: '' })).toBe('x');
  });
});

describe('history', () => {
  it('A1 a session gives its last four turns, prompts and results cut', () => {
    const turns = [1, 2, 3, 4, 5].map((n) => ({
      prompt: `${n}${'p'.repeat(600)}`,
      result: `${n}${'r'.repeat(3000)}`,
    }));
    const recent = recentTurns(turns);
    expect(recent.map((turn) => turn.prompt[0])).toEqual(['2', '3', '4', '5']);
    expect(recent.map((turn) => turn.prompt.length)).toEqual([512, 512, 512, 512]);
    expect(recent.map((turn) => turn.result.length)).toEqual([2048, 2048, 2048, 2048]);
  });

  it('A1 together they stay under 16,384 bytes, the oldest left out, no character split', () => {
    const turns = [1, 2, 3, 4].map((n) => ({ prompt: `${n}`, result: '日'.repeat(2048) }));
    expect(recentTurns(turns).map((turn) => turn.prompt)).toEqual(['3', '4']);
    const [turn] = recentTurns([{ prompt: `${'x'.repeat(511)}😀`, result: '' }]);
    expect(turn?.prompt).toBe('x'.repeat(511));
  });
});
