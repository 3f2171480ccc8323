import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { LullError } from '../../../main/base/errors.ts';
import { fileFacts } from '../../../main/engine/gates/file-facts.ts';
import { temporaryFolder } from '../../support/store.ts';
import { NOTHING_KNOWN } from './inputs.ts';

function factsFile(content: string): string {
  const file = join(temporaryFolder(), 'facts.json');
  writeFileSync(file, content);
  return file;
}

function refusal(file: string): LullError {
  try {
    fileFacts(file);
  } catch (error) {
    if (error instanceof LullError) return error;
    throw error;
  }
  throw new Error('it was accepted');
}

describe('facts from a file', () => {
  it('G1 absent facts are unknown, and a change is seen at the next look', () => {
    const file = factsFile('{"idleSeconds": 900, "powerSource": "mains"}');
    const source = fileFacts(file);
    expect(source.read()).toEqual({ ...NOTHING_KNOWN, idleSeconds: 900, powerSource: 'mains' });
    writeFileSync(file, '\uFEFF{"idleSeconds": 1, "powerSource": "mains", "locked": null}');
    expect(source.read()).toEqual({ ...NOTHING_KNOWN, idleSeconds: 1, powerSource: 'mains' });
  });

  it('G1 a file that breaks keeps the last good facts, and doctor says why', () => {
    const file = factsFile('{"idleSeconds": 900}');
    const source = fileFacts(file);
    writeFileSync(file, '{"idleSeconds": 90');
    expect(source.read().idleSeconds).toBe(900);
    const [idle] = source.doctor();
    expect(idle).toMatchObject({ fact: 'idleSeconds', source: file, value: '900' });
    expect(idle?.reason).toMatch(/facts\.json is not valid JSON/);
    rmSync(file);
    expect(source.read().idleSeconds).toBe(900);
    expect(source.doctor()[0]?.reason).toMatch(/facts\.json cannot be read: there is no such file/);
    writeFileSync(file, '{"idleSeconds": 5}');
    expect(source.doctor()[0]).toMatchObject({ value: '5', reason: null });
    expect(source.doctor()[1]).toMatchObject({
      fact: 'onBattery',
      value: null,
      reason: 'the file does not say',
    });
  });

  it.each([
    ['{"idelSeconds": 1}', 'unknown key "idelSeconds"', 'did you mean "idleSeconds"?'],
    ['{"percent": 101}', 'percent must be 100 or less', undefined],
    ['{"idleSeconds": "5"}', 'idleSeconds must be a number', undefined],
    ['{"powerSource": "solar"}', 'powerSource must be mains, battery, ups or none', undefined],
    ['[]', 'the file must be an object', undefined],
    ['', 'is not valid JSON', undefined],
  ])('G1 refuses %s with one line that names the fault', (content, message, hint) => {
    const error = refusal(factsFile(content));
    expect(error.code).toBe('invalid');
    expect(error.message).toContain(message);
    expect(error.message).toMatch(/^\/[^\n]*facts\.json[^\n]*$/);
    if (hint !== undefined) expect(error.hint).toBe(hint);
  });

  it('G1 refuses a missing file, a folder and one far too long', () => {
    const dir = temporaryFolder();
    expect(refusal(join(dir, 'facts.json')).message).toContain('there is no such file');
    expect(refusal(dir).message).toContain('cannot be read');
    expect(refusal(factsFile(`{}${' '.repeat(70_000)}`)).message).toContain('too long');
  });

  it('S2 tells of a change as it happens, also when the file is replaced', async () => {
    const file = factsFile('{"idleSeconds": 1}');
    const source = fileFacts(file);
    let changed: () => void = () => {};
    const next = () => new Promise<void>((resolve) => (changed = resolve));
    onTestFinished(source.watch(() => changed()));
    let seen = next();
    writeFileSync(file, '{"idleSeconds": 2}');
    await seen;
    seen = next();
    writeFileSync(`${file}.new`, '{"idleSeconds": 3}');
    renameSync(`${file}.new`, file);
    await seen;
    expect(source.read().idleSeconds).toBe(3);
  });
});
