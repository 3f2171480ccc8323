import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BUDGETS, FILES_AT_ONCE, suiteTimes, timeReport } from '../support/budgets.ts';

const root = join(import.meta.dirname, '..', '..');

function suites(): string[] {
  const files = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' });
  return [...new Set(files.flatMap((file) => file.match(/^([^/]+)\/.*\.test\.ts$/)?.[1] ?? []))];
}

describe('the time that tests take', () => {
  it('every suite has a published budget, and every budget a suite', () => {
    expect(Object.keys(BUDGETS).sort()).toEqual(suites().sort());
    const page = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8');
    for (const [suite, seconds] of Object.entries(BUDGETS)) {
      expect(page).toContain(`${suite} ${seconds}`);
    }
  });

  it('together they fit ten minutes, so many files at once', () => {
    const seconds = Object.values(BUDGETS).reduce((sum, one) => sum + one, 0);
    expect(seconds).toBeLessThanOrEqual(FILES_AT_ONCE * 600);
  });

  it('is summed by suite, and what is over its budget is named', () => {
    const times = suiteTimes([
      { file: 'test/base/a.test.ts', seconds: BUDGETS.base as number },
      { file: 'test/base/store/b.test.ts', seconds: 1.4 },
      { file: 'test/desk/c.test.ts', seconds: 2 },
      { file: 'test/unheard/d.test.ts', seconds: 1 },
    ]);
    expect(timeReport(times)).toEqual([
      `seconds by suite, of its budget: base 21/20, desk 2/50, unheard 1/?`,
      'base: 21 s is over its budget of 20 s',
      'unheard: no budget is published for this suite',
    ]);
  });
});
