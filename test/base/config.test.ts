import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  changeConfig,
  configJsonSchema,
  getConfigValue,
  parseConfig,
  readConfig,
} from '../../main/base/config.ts';
import { configSchema } from '../../main/base/config-schema.ts';
import type { Failure, Result } from '../../main/base/errors.ts';
import { temporaryFolder } from '../support/store.ts';

function refusal(result: Result<unknown>): Failure {
  if (result.ok) throw new Error('was accepted');
  return result;
}

function fileWith(text: string | Uint8Array): string {
  const file = join(temporaryFolder(), 'config.json');
  writeFileSync(file, text);
  return file;
}

const SERVERS = { servers: [{ name: 'home', kind: 'ollama' }] };
const MODEL = { server: 'home', model: 'm', numCtx: 4096 };

describe('config', () => {
  it('D6 a missing, an empty and a partial file mean the defaults', () => {
    const defaults = configSchema.parse({});
    expect(readConfig(join(temporaryFolder(), 'config.json'))).toEqual({
      ok: true,
      value: defaults,
    });
    expect(readConfig(fileWith('{}'))).toEqual({ ok: true, value: defaults });
    const partial = readConfig(fileWith('\uFEFF{"power":{"floorPercent":35}}'));
    expect(partial).toEqual({
      ok: true,
      value: { ...defaults, power: { ...defaults.power, floorPercent: 35 } },
    });
    expect(defaults.presence.idleThresholdSeconds).toBe(300);
    expect(defaults.queue).toMatchObject({ lightCapacity: 10, heavyCapacity: 100 });
  });

  it.each([
    ['', 'Unexpected end of the file at row 1, column 1'],
    ['{\n  "power": }\n', 'Unexpected token "}" at row 2, column 12'],
    ['{\n  "power": {},\n}\n', 'Expected double-quoted property name at row 3, column 1'],
    ['{"a":1}\n\n  x', 'Unexpected non-whitespace character after JSON at row 3, column 3'],
    ['{"a": trux}', 'Unexpected token "x" at row 1, column 10'],
    ['{"currency": "USD', 'Unterminated string at row 1, column 18'],
  ])('D6 broken JSON names its row and column: %j', (text, what) => {
    const { code, message, hint } = refusal(readConfig(fileWith(text)));
    expect(code).toBe('invalid');
    expect(message).toBe(`config.json is not valid JSON: ${what}`);
    expect(hint).toMatch(/mend the file/);
  });

  it.each<[unknown, string, string?]>([
    [{ pwoer: {} }, 'config.json: unknown key "pwoer"', 'did you mean "power"?'],
    [
      { power: { floorPercnt: 1 } },
      'config.json: unknown key "power.floorPercnt"',
      'did you mean "power.floorPercent"?',
    ],
    [
      { yield: { zzzzzzzzzz: 1 } },
      'config.json: unknown key "yield.zzzzzzzzzz"',
      'known here: graceSeconds',
    ],
    [
      { models: { servers: [{ name: 'a', kind: 'ollama', ulr: 'x' }] } },
      'config.json: unknown key "models.servers.0.ulr"',
      'did you mean "models.servers.0.url"?',
    ],
    [
      { models: { ...SERVERS, embedder: { ...MODEL, numctx: 1 } } },
      'config.json: unknown key "models.embedder.numctx"',
      'did you mean "models.embedder.numCtx"?',
    ],
    [[], 'config.json: the file must be an object'],
    [null, 'config.json: the file must be an object'],
    [{ power: null }, 'config.json: power must be an object'],
    [{ power: { floorPercent: '20' } }, 'config.json: power.floorPercent must be a number'],
    [{ power: { floorPercent: 101 } }, 'config.json: power.floorPercent must be 100 or less'],
    [
      { power: { thermalLimit: 'hot' } },
      'config.json: power.thermalLimit must be fair, serious, critical or off',
    ],
    [{ queue: { lightCapacity: 0 } }, 'config.json: queue.lightCapacity must be 1 or more'],
    [{ queue: { lightCapacity: 1.5 } }, 'config.json: queue.lightCapacity must be a whole number'],
    [{ currency: 'usd' }, 'config.json: currency: three capital letters, such as USD'],
    [{ models: { budgetGb: 0 } }, 'config.json: models.budgetGb must be more than 0'],
    [
      { models: { servers: [{ name: 'a', kind: 'ollama', url: 'ftp://x' }] } },
      'config.json: models.servers.0.url must be a web address such as http://127.0.0.1:11434',
    ],
    [
      { models: { servers: [{ kind: 'ollama' }] } },
      'config.json: models.servers.0.name is missing',
    ],
    [
      { presence: { keepAwakeApps: [''] } },
      'config.json: presence.keepAwakeApps.0 must not be empty',
    ],
    [
      { jobBudgetsSeconds: { ['k'.repeat(101)]: 1 } },
      `config.json: jobBudgetsSeconds.${'k'.repeat(101)}: the key must be 100 characters or fewer`,
    ],
    [
      { models: { ...SERVERS, tiers: { routine: { ...MODEL, server: 'hoem' } } } },
      'config.json: models.tiers.routine.server is "hoem", which models.servers does not list',
      'use one of home',
    ],
    [
      { models: { embedder: MODEL } },
      'config.json: models.embedder.server is "home", which models.servers does not list',
      'add the server to models.servers',
    ],
    [
      { models: { servers: [...SERVERS.servers, ...SERVERS.servers] } },
      'config.json: models.servers lists "home" twice',
      'give each server a name of its own',
    ],
  ])('D6 a wrong setting is named with its remedy: %j', (raw, message, hint) => {
    expect(refusal(parseConfig(raw))).toEqual({
      ok: false,
      code: 'invalid',
      message,
      ...(hint ? { hint } : {}),
    });
  });

  it('D6 no JSON whatever makes reading throw, and every refusal is one line', () => {
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), fc.string()), (value) => {
        const result = parseConfig(value);
        if (!result.ok) expect(result.code).toBe('invalid');
      }),
      { numRuns: 300 },
    );
    const file = fileWith('{}');
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        writeFileSync(file, text);
        const result = readConfig(file);
        if (!result.ok) expect(result.message).not.toMatch(/[\n\r]/);
      }),
      { numRuns: 200 },
    );
  });

  it('D6 a file that cannot be read is one line too', () => {
    const dir = temporaryFolder();
    mkdirSync(join(dir, 'config.json'));
    expect(refusal(readConfig(join(dir, 'config.json'))).message).toMatch(
      /^config.json cannot be read: EISDIR/,
    );
    expect(refusal(readConfig(fileWith(new Uint8Array([0xff, 0xfe, 0x00])))).message).toMatch(
      /not valid JSON/,
    );
  });

  it('D6 one key is read by its dotted name, a wrong one is suggested', () => {
    const config = configSchema.parse({});
    expect(getConfigValue(config, 'power.floorPercent')).toEqual({ ok: true, value: 20 });
    expect(getConfigValue(config, 'power')).toEqual({ ok: true, value: config.power });
    expect(refusal(getConfigValue(config, 'power.florPercent'))).toMatchObject({
      message: 'unknown key "power.florPercent"',
      hint: 'did you mean "power.floorPercent"?',
    });
    expect(refusal(getConfigValue(config, 'log.zzzzzzzz'))).toMatchObject({
      hint: 'known here: level, keepDays',
    });
    for (const key of ['', '.', 'power..floorPercent', '__proto__', 'power.constructor']) {
      expect(getConfigValue(config, key).ok, key).toBe(false);
    }
    expect(refusal(getConfigValue(config, 'currency.x')).message).toBe('unknown key "currency.x"');
  });

  it('D6 setting a key keeps the rest of the file, and its order', () => {
    const file = fileWith('{"queue":{"heavyCapacity":7},"power":{"floorPercent":30}}');
    const result = changeConfig(file, { 'power.shedOnBattery': false });
    expect(result.ok && result.value.power.shedOnBattery).toBe(false);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      queue: { heavyCapacity: 7 },
      power: { floorPercent: 30, shedOnBattery: false },
    });
    expect(readFileSync(file, 'utf8')).toMatch(/^\{\n {2}"queue"/);
    expect(readdirSync(join(file, '..'))).toEqual(['config.json']);
  });

  it('D6 several settings are stored together, or none of them', () => {
    const text = '{"currency":"EUR"}';
    const file = fileWith(text);
    const server = { name: 'home', kind: 'ollama' };
    const tiers = { routine: { server: 'home', model: 'tiny', numCtx: 4096 } };
    const bad = { 'models.servers': [server], 'models.tiers': { routine: { server: 'home' } } };
    expect(changeConfig(file, bad).ok).toBe(false);
    expect(readFileSync(file, 'utf8')).toBe(text);
    const done = changeConfig(file, { 'models.tiers': tiers, 'models.servers': [server] });
    expect(done).toMatchObject({ ok: true, value: { models: { servers: [server], tiers } } });
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      currency: 'EUR',
      models: { servers: [server], tiers },
    });
  });

  it('D6 the first setting makes the file, for the owner alone', () => {
    const file = join(temporaryFolder(), 'config.json');
    expect(changeConfig(file, { currency: 'EUR' }).ok).toBe(true);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readConfig(file)).toMatchObject({ value: { currency: 'EUR' } });
  });

  it.each<[string, unknown]>([
    ['pwoer.floorPercent', 1],
    ['power.floorPercent', 'much'],
    ['power.floorPercent', undefined],
    ['power', 3],
    ['', 1],
    ['power.', 1],
    ['__proto__.polluted', true],
    ['constructor.prototype.polluted', true],
    ['power.toString', 1],
    ['models.servers.0.name', 'x'],
  ])('D6 a refused setting %j = %j leaves every byte as it was', (key, value) => {
    const text = '{ "models": {"servers": [{"name": "home", "kind": "ollama"}]} }';
    const file = fileWith(text);
    expect(changeConfig(file, { [key]: value }).ok).toBe(false);
    expect(readFileSync(file, 'utf8')).toBe(text);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it('D6 a broken file is not overwritten by setting a key', () => {
    const file = fileWith('{ "power": ');
    expect(changeConfig(file, { currency: 'EUR' }).ok).toBe(false);
    expect(readFileSync(file, 'utf8')).toBe('{ "power": ');
  });

  it('D6 a linked file is written through its link', () => {
    const dir = temporaryFolder();
    const real = join(dir, 'dotfiles.json');
    writeFileSync(real, '{}');
    symlinkSync(real, join(dir, 'config.json'));
    expect(changeConfig(join(dir, 'config.json'), { currency: 'EUR' }).ok).toBe(true);
    expect(JSON.parse(readFileSync(real, 'utf8'))).toEqual({ currency: 'EUR' });
  });

  it('D6 a folder that cannot be written is a refusal, not a throw', () => {
    const missing = join(temporaryFolder(), 'gone', 'config.json');
    expect(refusal(changeConfig(missing, { currency: 'EUR' }))).toMatchObject({ code: 'refused' });
    if (process.getuid?.() === 0) return; // root may write anywhere
    const file = fileWith('{}');
    chmodSync(join(file, '..'), 0o500);
    expect(refusal(changeConfig(file, { currency: 'EUR' }))).toMatchObject({ code: 'refused' });
    chmodSync(join(file, '..'), 0o700);
    expect(existsSync(`${file}.${process.pid}.tmp`)).toBe(false);
  });

  it('D6 editors get a JSON schema that knows every section', () => {
    const schema = configJsonSchema() as { properties: object };
    expect(Object.keys(schema.properties)).toEqual(Object.keys(configSchema.shape));
  });
});
