import { describe, expect, it } from 'vitest';
import { findJsonObject } from '../../../../main/work/roster/cycle/json-in-output.ts';

const any = () => true;

describe('a JSON object in what a program printed', () => {
  it.each([
    ['alone', '{"a":1}', { a: 1 }],
    ['between lines', '> pkg@1.0.0 lock\n> node x {\n\n{"a":1}\nbye\n', { a: 1 }],
    ['over several lines', 'x\n{\n  "a": {\n    "b": "}{\\""\n  }\n}\n', { a: { b: '}{"' } }],
    ['with others inside', '{\n  "a": [\n    {\n      "b": 1\n    }\n  ]\n}', { a: [{ b: 1 }] }],
    ['the last of several', '{"a":1}\n  {"a":2}\n', { a: 2 }],
    ['after braces that are none', '{not json}\n{ open\n{"a":1}', { a: 1 }],
    ['in the middle of a line it is not looked for', 'said {"a":1}', null],
    ['none', 'nothing here', null],
    ['cut off', '{"a":', null],
  ])('T1 is found: %s', (_, output, value) => {
    expect(findJsonObject(output, any)).toEqual(value);
  });

  it('T1 that is not the wanted one is passed over', () => {
    const output = '{"excluded":["a"]}\n{"event":"noise"}\n';
    expect(findJsonObject(output, (value) => 'excluded' in value)).toEqual({ excluded: ['a'] });
  });

  it('T1 is not looked for without end in output full of braces', () => {
    const began = performance.now();
    expect(findJsonObject('{\n'.repeat(500_000), any)).toBeNull();
    expect(performance.now() - began).toBeLessThan(20_000);
  });
});
