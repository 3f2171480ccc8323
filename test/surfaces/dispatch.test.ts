import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LullError } from '../../main/base/errors.ts';
import { type CommandName, commands } from '../../main/surfaces/contract.ts';
import { dispatcher, type Handlers } from '../../main/surfaces/dispatch.ts';

/** A host that does nothing but what is given; every other command is a fault. */
function host(handlers: Partial<Handlers>) {
  const faults: { command: string; error: unknown }[] = [];
  const missing = () => {
    throw new Error('not given');
  };
  const all = Object.fromEntries(
    Object.keys(commands).map((name) => [name, handlers[name as CommandName] ?? missing]),
  );
  const dispatch = dispatcher(all as unknown as Handlers, (command, error) =>
    faults.push({ command, error }),
  );
  return { dispatch, faults };
}

const ADMITTED = { job: 1, outcome: 'admitted' as const };

describe('dispatch', () => {
  it('D8 hands the parsed input on, with its defaults, and gives the answer back', async () => {
    let seen: unknown;
    const { dispatch } = host({
      'jobs.add': (input) => {
        seen = input;
        return ADMITTED;
      },
    });
    expect(await dispatch('jobs.add', { text: 'read' })).toEqual({ ok: true, value: ADMITTED });
    expect(seen).toEqual({ text: 'read', tier: 'synthesis', files: [] });
  });

  it('D8 an answer carries what the contract declares and nothing else', async () => {
    const { dispatch } = host({
      'jobs.add': async () => ({ ...ADMITTED, secret: 'x' }),
    });
    expect(await dispatch('jobs.add', { text: 'a' })).toEqual({ ok: true, value: ADMITTED });
  });

  it('D8 an answer that breaks the contract is a fault, not an answer', async () => {
    const { dispatch, faults } = host({
      'jobs.add': () => ({ job: 0, outcome: 'admitted' }),
    });
    expect(await dispatch('jobs.add', { text: 'a' })).toEqual({
      ok: false,
      code: 'failed',
      message: 'jobs.add gave an answer that breaks the contract: job must be 1 or more',
    });
    expect(faults).toHaveLength(1);
  });

  it.each<[string, unknown, string, string?]>([
    ['jobs.ad', {}, 'unknown command "jobs.ad"', 'did you mean "jobs.add"?'],
    ['toString', {}, 'unknown command "toString"'],
    ['jobs.add', [], 'the input of jobs.add must be an object'],
    ['jobs.add', undefined, 'text is missing'],
    ['jobs.add', { text: ' ' }, 'text must not be empty'],
    ['jobs.add', { text: 'x'.repeat(16_385) }, 'text must be 16,384 bytes or fewer'],
    ['jobs.add', { text: 'ä'.repeat(8_193) }, 'text must be 16,384 bytes or fewer'],
    ['jobs.add', { text: 'a', teir: 'routine' }, 'unknown key "teir"', 'did you mean "tier"?'],
    ['jobs.add', { text: 'a', tier: 'big' }, 'tier must be pinned, routine, synthesis or stretch'],
    ['jobs.add', { text: 'a', files: [''] }, 'files.0 must not be empty'],
    ['jobs.show', { id: 0 }, 'id must be 1 or more'],
    ['jobs.show', { id: 1.5 }, 'id must be a whole number'],
    ['jobs.list', { limit: 501 }, 'limit must be 500 or less'],
    ['pause', { forSeconds: 1, until: 2 }, 'give a duration or a time, not both'],
    ['pause', { forSeconds: 0 }, 'forSeconds must be 1 or more'],
    [
      'schedule.add',
      { id: '', prompt: 'p', rule: { kind: 'interval', everySeconds: 1, first: 0 } },
      'id must not be empty',
    ],
    [
      'schedule.add',
      { id: 'x'.repeat(101), prompt: 'p', rule: { kind: 'interval', everySeconds: 1, first: 0 } },
      'id must be 100 characters or fewer',
    ],
    [
      'schedule.add',
      { id: 'a', prompt: 'p', rule: { kind: 'interval', everySeconds: 0, first: 0 } },
      'rule.everySeconds must be 1 or more',
    ],
    [
      'schedule.add',
      { id: 'a', prompt: 'p', rule: { kind: 'interval', everySeconds: Number.NaN, first: 0 } },
      'rule.everySeconds must be a number',
    ],
    [
      'schedule.add',
      {
        id: 'a',
        prompt: 'p',
        rule: { kind: 'interval', everySeconds: 1, first: Number.POSITIVE_INFINITY },
      },
      'rule.first must be a number',
    ],
    [
      'schedule.add',
      { id: 'a', prompt: 'p', rule: { kind: 'solar' } },
      'rule.kind must be interval or cron',
    ],
    ['watch.add', { id: 'a', sku: 's', to: 'mail' }, 'to must be local or telegram:ACCOUNT:ID'],
  ])(
    'D8 wrong input is refused in one line that names the field: %s %j',
    async (command, input, message, hint) => {
      const { dispatch, faults } = host({});
      expect(await dispatch(command, input)).toEqual({
        ok: false,
        code: 'invalid',
        message,
        ...(hint ? { hint } : {}),
      });
      expect(faults).toEqual([]);
    },
  );

  it('D8 a refusal keeps its code and hint; anything else thrown is a fault that is reported', async () => {
    const { dispatch, faults } = host({
      'jobs.cancel': () => {
        throw new LullError('not_found', 'there is no job 4', 'see lull jobs list');
      },
      'jobs.retry': async () => {
        throw new TypeError('x is not a function');
      },
    });
    expect(await dispatch('jobs.cancel', { id: 4 })).toEqual({
      ok: false,
      code: 'not_found',
      message: 'there is no job 4',
      hint: 'see lull jobs list',
    });
    expect(faults).toEqual([]);
    expect(await dispatch('jobs.retry', { id: 4 })).toMatchObject({ ok: false, code: 'failed' });
    expect(faults).toMatchObject([{ command: 'jobs.retry', error: expect.any(TypeError) }]);
  });

  it('D8 no command and no input make it reject', async () => {
    const { dispatch } = host({});
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.constantFrom(...Object.keys(commands)), fc.string()),
        fc.anything(),
        async (command, input) => {
          const reply = await dispatch(command, input);
          if (!reply.ok) expect(reply.message.length).toBeGreaterThan(0);
        },
      ),
      { numRuns: 400 },
    );
  });
});
