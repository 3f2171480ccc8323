import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { failure } from '../../../main/base/errors.ts';
import { answerLimit, tool, toolbox } from '../../../main/work/agent/tools.ts';

const scope = { subject: 'A', maxCharacters: 200 };

const greet = tool({
  name: 'greet',
  description: 'Greets.',
  effect: 'reads',
  schema: z.strictObject({ name: z.string().describe('whom'), times: z.int().min(1).default(1) }),
  run({ name, times }, { subject }) {
    if (name === 'nobody') return failure('refused', 'nobody is there', 'name someone');
    if (name === 'defect') throw new Error('/secret/path');
    return { ok: true, value: { times, name: name.repeat(times), subject } };
  },
});
const call = (name: string, args: Record<string, unknown> | string) =>
  toolbox([greet], scope).invoke({ id: '1', name, arguments: args });

describe('toolbox', () => {
  it('A4 a tool is described by the JSON Schema of its arguments', () => {
    expect(toolbox([greet], scope).specs).toEqual([
      {
        name: 'greet',
        description: 'Greets.',
        parameters: {
          type: 'object',
          properties: {
            name: { type: 'string', description: 'whom' },
            times: expect.objectContaining({ type: 'integer', minimum: 1, default: 1 }),
          },
          required: ['name'],
          additionalProperties: false,
        },
      },
    ]);
  });

  it('A4 an answer is canonical JSON, and the scope comes from the job, not from the model', async () => {
    expect(await call('greet', { times: 2, name: 'x' })).toEqual({
      ok: true,
      content: '{"ok":true,"value":{"name":"xx","subject":"A","times":2}}',
      malformed: false,
    });
    expect(await call('greet', { name: 'x', subject: 'B' })).toMatchObject({ malformed: true });
  });

  it('A4 wrong arguments are refused in one line that names them', async () => {
    const wrong = await call('greet', { name: 7, times: 0 });
    expect(wrong.malformed).toBe(true);
    expect(JSON.parse(wrong.content)).toEqual({
      ok: false,
      error: expect.stringMatching(/^name: [^\n]+; times: [^\n]+$/),
    });
    expect((await call('greet', 'name=x')).malformed).toBe(true);
    expect((await call('shell', {})).malformed).toBe(true);
  });

  it('A4 a refusal says why, a defect says nothing of the inside, and too long an answer is refused', async () => {
    expect((await call('greet', { name: 'nobody' })).content).toBe(
      '{"error":"nobody is there; name someone","ok":false}',
    );
    expect((await call('greet', { name: 'defect' })).content).toBe(
      '{"error":"the tool failed","ok":false}',
    );
    expect(await call('greet', { name: 'x', times: 300 })).toEqual({
      ok: false,
      content: '{"error":"the answer is longer than 200 characters","ok":false}',
      malformed: false,
    });
  });

  it('A4 names of the language’s own objects are no tools', async () => {
    for (const name of ['constructor', '__proto__', 'toString']) {
      expect((await call(name, {})).malformed).toBe(true);
    }
  });

  it('A4 one answer takes at most a quarter of the window', () => {
    expect([512, 8192, 131_072].map(answerLimit)).toEqual([2000, 8192, 24_000]);
  });
});
