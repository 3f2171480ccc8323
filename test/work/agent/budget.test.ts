import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ChatMessage } from '../../../main/engine/models/server.ts';
import {
  assemble,
  type Budgeted,
  type ContextParts,
  estimateTokens,
  suggestWindow,
} from '../../../main/work/agent/budget.ts';
import { loadConstitution } from '../../../main/work/agent/constitution.ts';

const constitution = loadConstitution('resources');

function parts(some: Partial<ContextParts> = {}): ContextParts {
  return {
    constitution,
    role: 'Role.',
    retrieved: [],
    history: [],
    tools: [],
    task: 'Task.',
    exchange: [],
    ...some,
  };
}

function fitted(budgeted: Budgeted) {
  if (budgeted.escalate) throw new Error(`needs ${budgeted.neededTokens}`);
  return budgeted;
}

const call: ChatMessage = {
  role: 'assistant',
  content: '',
  toolCalls: [{ id: 'c1', name: 'read', arguments: {} }],
};
const answer = (content: string): ChatMessage => ({
  role: 'tool',
  toolCallId: 'c1',
  toolName: 'read',
  content,
});

const words = fc.string({ minLength: 0, maxLength: 400 });
const someParts = fc.record({
  role: words,
  task: words,
  retrieved: fc.array(words, { maxLength: 6 }),
  history: fc.array(fc.record({ prompt: words, result: words }), { maxLength: 6 }),
  tools: fc.array(words, { maxLength: 3 }),
  exchange: fc.array(
    fc.oneof(
      words.map(answer),
      words.map((content): ChatMessage => ({ role: 'assistant', content })),
    ),
    { maxLength: 6 },
  ),
});
const estimates = fc.constantFrom(
  estimateTokens,
  (text: string) => text.length,
  (text: string) => Buffer.byteLength(text),
);
const costOf = (messages: ChatMessage[], estimate: (text: string) => number) =>
  messages.reduce((sum, message) => sum + 4 + estimate(message.content), 0);

describe('budget', () => {
  it('A1 a token is four characters, rounded up, and every message costs four more', () => {
    expect(['', 'a', 'abcd', 'abcde'].map(estimateTokens)).toEqual([0, 1, 1, 2]);
    const { report } = fitted(assemble(parts({ role: 'abcd', task: 'abcde' }), { window: 4096 }));
    expect(report.usedTokens).toBe(estimateTokens(constitution) + 1 + 2 + 3 * 4);
  });

  it('A1 parts stand in the order constitution, role, retrieved, history, tools, task', () => {
    const { messages } = fitted(
      assemble(
        parts({
          retrieved: ['found one', 'found two'],
          history: [{ prompt: 'asked', result: 'answered' }],
          tools: ['looked up'],
          exchange: [call, answer('said')],
        }),
        { window: 8192 },
      ),
    );
    const texts = messages.map((message) => message.content);
    expect(messages.map((message) => message.role)).toEqual(
      'system system user user user assistant user user assistant tool'.split(' '),
    );
    expect(texts[0]).toBe(constitution);
    expect(texts[1]).toBe('Role.');
    expect(texts[2]).toMatch(/not instructions\):\nfound one$/);
    expect(texts[3]).toMatch(/found two$/);
    expect(texts.slice(4, 6)).toEqual(['asked', 'answered']);
    expect(texts[6]).toMatch(/not instructions\):\nlooked up$/);
    expect(texts.slice(7)).toEqual(['Task.', '', 'said']);
  });

  it('A1 found passages go first, from the end, then history from the front, then tool output', () => {
    const text = 'x'.repeat(400);
    const all = parts({
      retrieved: ['first', 'second'].map((name) => name + text),
      history: ['old', 'new'].map((name) => ({ prompt: name + text, result: text })),
      exchange: [call, answer(text), call, answer(text)],
    });
    const whole = fitted(assemble(all, { window: 100_000 })).report.usedTokens;
    const at = (window: number) => fitted(assemble(all, { window: window + 1024 }));

    const one = at(whole - 1);
    expect(one.report).toMatchObject({ retrieved: { kept: 1, dropped: 1 }, toolOutputsCut: 0 });
    expect(one.messages.some((message) => message.content.includes('first'))).toBe(true);
    const two = at(whole - 250);
    expect(two.report).toMatchObject({ retrieved: { kept: 0 }, history: { kept: 1, dropped: 1 } });
    expect(two.messages.some((message) => message.content.startsWith('new'))).toBe(true);
    const three = at(whole - 680);
    expect(three.report).toMatchObject({ history: { kept: 0 }, toolOutputsCut: 1 });
    expect(three.messages.at(-3)?.content).toBe(text);
    expect(three.messages.at(-1)?.content).toMatch(
      /^x+\n\[cut: \d+ of 400 characters fit the window\]$/,
    );
    expect(at(whole - 780).report.toolOutputsCut).toBe(2);
  });

  it('A1 a frame that does not fit escalates and says how much it needs', () => {
    const needed = assemble(parts(), { window: 1025 });
    if (!needed.escalate) throw new Error('fits');
    expect(assemble(parts(), { window: needed.neededTokens - 1 }).escalate).toBe(true);
    expect(assemble(parts(), { window: needed.neededTokens }).escalate).toBe(false);
  });

  it('A1 the descriptions of the tools take their room in the window', () => {
    const specs = [{ name: 'read', description: 'd'.repeat(4000), parameters: {} }];
    const bare = fitted(assemble(parts(), { window: 8192 })).report.usedTokens;
    const withSpecs = fitted(assemble(parts(), { window: 8192, specs })).report.usedTokens;
    expect(withSpecs - bare).toBeGreaterThan(1000);
  });

  it('A1 whatever the parts, what is sent and the reply reserve never exceed the window', () => {
    fc.assert(
      fc.property(
        someParts,
        estimates,
        fc.integer({ min: 0, max: 6000 }),
        (some, estimate, window) => {
          const budgeted = assemble(parts(some), { window, estimate });
          if (budgeted.escalate) {
            expect(budgeted.neededTokens).toBeGreaterThan(window);
            return;
          }
          expect(costOf(budgeted.messages, estimate)).toBe(budgeted.report.usedTokens);
          expect(budgeted.report.usedTokens + 1024).toBeLessThanOrEqual(window);
        },
      ),
    );
  });

  it('A1 whatever is trimmed, the order is kept and frame, task and model turns stay whole', () => {
    fc.assert(
      fc.property(someParts, fc.integer({ min: 1024, max: 4000 }), (some, window) => {
        const all = fitted(assemble(parts(some), { window: 1_000_000 })).messages;
        const budgeted = assemble(parts(some), { window });
        if (budgeted.escalate) return;
        const { messages, report } = budgeted;
        const { retrieved, history } = report;
        const start = 2 + some.retrieved.length;
        const expected = [
          ...all.slice(0, 2 + retrieved.kept),
          ...all.slice(start + 2 * history.dropped),
        ];
        expect(messages.map((message) => message.role)).toEqual(expected.map((m) => m.role));
        let cut = 0;
        messages.forEach((message, i) => {
          const whole = expected[i]?.content ?? '';
          if (message.content === whole) return;
          cut += 1;
          const [, start] = message.content.match(/^(?:([\s\S]*)\n)?\[cut: [^\n]*\]$/) ?? [];
          expect(whole.startsWith(start ?? '')).toBe(true);
          const isOutput =
            message.role === 'tool' || i < expected.length - some.exchange.length - 1;
          expect(isOutput).toBe(true);
        });
        expect(cut).toBe(report.toolOutputsCut);
      }),
    );
  });

  it('A1 a larger window never keeps less', () => {
    const window = fc.integer({ min: 1024, max: 4000 });
    fc.assert(
      fc.property(someParts, window, fc.integer({ min: 0, max: 500 }), (some, small, more) => {
        const less = assemble(parts(some), { window: small });
        const rest = assemble(parts(some), { window: small + more });
        if (less.escalate) return;
        const larger = fitted(rest).report;
        expect(larger.usedTokens).toBeGreaterThanOrEqual(less.report.usedTokens);
        expect(larger.retrieved.kept).toBeGreaterThanOrEqual(less.report.retrieved.kept);
        expect(larger.history.kept).toBeGreaterThanOrEqual(less.report.history.kept);
        expect(larger.toolOutputsCut).toBeLessThanOrEqual(less.report.toolOutputsCut);
      }),
    );
  });

  it('A1 a window suggested from use has headroom, whole steps and a floor', () => {
    expect(suggestWindow(0)).toBe(2048);
    expect(suggestWindow(1600)).toBe(2048);
    expect(suggestWindow(1639)).toBe(3072);
    expect(suggestWindow(10_000)).toBe(13_312);
    expect(suggestWindow(1000, { headroom: 0, floor: 0, step: 1 })).toBe(1000);
    expect(() => suggestWindow(Number.NaN)).toThrow(RangeError);
    expect(() => suggestWindow(-1)).toThrow(RangeError);
  });
});
