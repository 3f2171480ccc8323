import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sha256 } from '../../../main/base/ids.ts';
import { assemble } from '../../../main/work/agent/budget.ts';
import {
  CONSTITUTION_SHA256,
  ConstitutionError,
  loadConstitution,
} from '../../../main/work/agent/constitution.ts';
import { temporaryFolder } from '../../support/store.ts';

const rest = { role: 'r', retrieved: [], history: [], tools: [], task: 't', exchange: [] };

describe('constitution', () => {
  it('A2 the SHA-256 of the shipped constitution is the one the program knows', () => {
    expect(sha256(readFileSync('resources/constitution.md'))).toBe(CONSTITUTION_SHA256);
    expect(sha256(loadConstitution('resources'))).toBe(CONSTITUTION_SHA256);
  });

  it('A2 a constitution with other line ends is the same, one with another word is refused', () => {
    const dir = temporaryFolder();
    cpSync('resources/constitution.md', join(dir, 'constitution.md'));
    const text = readFileSync(join(dir, 'constitution.md'), 'utf8');
    writeFileSync(join(dir, 'constitution.md'), text.replaceAll('\n', '\r\n'));
    expect(loadConstitution(dir)).toBe(text);
    writeFileSync(join(dir, 'constitution.md'), text.replace('never act', 'may act'));
    expect(() => loadConstitution(dir)).toThrow(ConstitutionError);
  });

  it('A2 the constitution is the outermost frame of every prompt', () => {
    const constitution = loadConstitution('resources');
    const budgeted = assemble({ constitution, ...rest }, { window: 4096 });
    expect(!budgeted.escalate && budgeted.messages[0]).toEqual({
      role: 'system',
      content: constitution,
    });
  });

  it('A2 another constitution is refused, and with a reason it is used and reported', () => {
    const mine = { constitution: 'Do as you like.', ...rest };
    expect(() => assemble(mine, { window: 4096 })).toThrow(ConstitutionError);
    const silent = { reason: ' ' };
    expect(() => assemble(mine, { window: 4096, constitutionOverride: silent })).toThrow(
      ConstitutionError,
    );
    const constitutionOverride = { reason: 'comparing two texts' };
    const budgeted = assemble(mine, { window: 4096, constitutionOverride });
    expect(!budgeted.escalate && budgeted.report.constitution).toEqual({
      sha256: sha256('Do as you like.'),
      override: 'comparing two texts',
    });
  });
});
