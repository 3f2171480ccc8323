import fc from 'fast-check';
import { z } from 'zod';

/** The part of JSON Schema that zod writes. */
interface Schema {
  type?: string;
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  propertyNames?: Schema;
  items?: Schema;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  maxItems?: number;
  pattern?: string;
  format?: string;
}

/** How many cases a property tries, and which: `LULL_FUZZ=5000 LULL_FUZZ_SEED=7` tries more and others. */
export function cases(usual: number): { numRuns: number; seed: number } {
  const { LULL_FUZZ, LULL_FUZZ_SEED } = process.env;
  return { numRuns: Number(LULL_FUZZ ?? usual), seed: Number(LULL_FUZZ_SEED ?? 20_261_201) };
}

/** Texts that break what was not made for them. */
export const WILD_TEXT = fc.oneof(
  fc.constantFrom(
    ...['', ' ', '\n', '\u0000', '\u202e', '\ud800', "'; DROP TABLE jobs; --", '%s%n', '../../x'],
    ...[
      '__proto__',
      'constructor',
      'toString',
      '{{7*7}}',
      '=1+1',
      '<img src=x>',
      '\u001b[31m',
      '-1',
    ],
    ...['NaN', '1e309', '9007199254740993', 'null', 'true', '2026-02-30', '٣', '🤖'.repeat(60)],
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.nat(20_000).map((length) => 'x'.repeat(length)),
);

/** Anything JSON can carry, and what only a caller in this process can give. */
export const WILD = fc.oneof(
  WILD_TEXT,
  fc.constantFrom<unknown>(
    null,
    undefined,
    true,
    0,
    -0,
    -1,
    0.5,
    2 ** 31,
    2 ** 53,
    2 ** 60,
    -1e300,
  ),
  fc.constantFrom<unknown>(
    Number.NaN,
    Number.POSITIVE_INFINITY,
    [],
    {},
    [[[[]]]],
    10n,
    new Date(0),
  ),
  fc.jsonValue({ maxDepth: 3 }),
  fc.constant(JSON.parse('{"__proto__":{"x":1},"constructor":null}')),
);

/** Names and numbers that something in the room goes by, so that commands meet it. */
const KNOWN_TEXT = fc.constantFrom('a', 'taken', 'SKU-VANILLA', 'SKU-LIME', 'local', 'shop', 'UTC');
const SMALL = fc.integer({ min: 1, max: 6 });

/** Values that a schema takes, with one in `tame` places where it does not. */
export function valuesOf(schema: z.ZodType, tame = 12): fc.Arbitrary<unknown> {
  const whole = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Schema;
  return generators(tame).values(whole);
}

function generators(tame: number) {
  return { values };

  function values(schema: Schema): fc.Arbitrary<unknown> {
    return fc.oneof({ arbitrary: good(schema), weight: tame }, { arbitrary: WILD, weight: 1 });
  }

  function good(schema: Schema): fc.Arbitrary<unknown> {
    if ('const' in schema) return fc.constant(schema.const);
    if (schema.enum) return fc.constantFrom(...schema.enum);
    const either = schema.anyOf ?? schema.oneOf;
    if (either) return fc.oneof(...either.map(values));
    switch (schema.type) {
      case 'string':
        return texts(schema);
      case 'integer':
      case 'number':
        return numbers(schema, tame);
      case 'boolean':
        return fc.boolean();
      case 'null':
        return fc.constant(null);
      case 'array':
        return fc.array(values(schema.items ?? {}), {
          maxLength: Math.min(schema.maxItems ?? 4, 4),
        });
      case 'object':
        return objects(schema);
      default:
        return schema.allOf ? fc.oneof(...schema.allOf.map(good)) : WILD;
    }
  }

  function objects(schema: Schema): fc.Arbitrary<unknown> {
    const { properties = {}, required = [], additionalProperties, propertyNames } = schema;
    const fields = Object.fromEntries(
      Object.entries(properties).map(([name, one]) => [name, values(one)]),
    );
    const known = fc.record(fields, { requiredKeys: required.filter((name) => name in fields) });
    if (typeof additionalProperties !== 'object') {
      const stray = fc.record({ stray: WILD }, { requiredKeys: [] });
      return fc.oneof(
        { arbitrary: known, weight: tame },
        { arbitrary: fc.tuple(known, stray).map(([a, b]) => ({ ...a, ...b })), weight: 1 },
      );
    }
    const keys = propertyNames ? (good(propertyNames) as fc.Arbitrary<string>) : WILD_TEXT;
    return fc.dictionary(keys, values(additionalProperties), { maxKeys: 3 });
  }
}

function texts({ minLength = 0, maxLength = 60, pattern, format }: Schema): fc.Arbitrary<string> {
  const free = fc.string({
    unit: 'grapheme',
    minLength,
    maxLength: Math.min(maxLength, minLength + 60),
  });
  // Nothing but this machine is ever asked, and nobody listens on the port of nobody.
  if (format === 'uri') return fc.constantFrom('http://127.0.0.1:9', 'http://127.0.0.1:9/v1');
  const fitting = pattern === undefined ? free : fc.stringMatching(new RegExp(pattern));
  return fc.oneof(KNOWN_TEXT, fitting, free);
}

function numbers({ minimum, maximum, type }: Schema, tame: number): fc.Arbitrary<number> {
  const [least, most] = [minimum ?? -(2 ** 53 - 1), maximum ?? 2 ** 53 - 1];
  const edges =
    tame > 100 ? fc.constantFrom(least, most) : fc.constantFrom(least, most, least - 1, most + 1);
  if (type === 'number') return fc.oneof(SMALL, edges, fc.double({ min: least, max: most }));
  const whole = fc.integer({ min: Math.max(least, -(2 ** 31)), max: Math.min(most, 2 ** 31 - 1) });
  return fc.oneof({ arbitrary: SMALL, weight: 3 }, edges, whole);
}
