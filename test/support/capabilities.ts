import { readFileSync, writeFileSync } from 'node:fs';

export interface TestResult {
  file: string;
  title: string;
  status: string;
}

const ROW = /^\| ([A-Z]\d+[a-z]?) \| (.*?) \| (works|partly|not yet) \|.*\|$/;
const START = /^((?:[A-Z]\d+[a-z]?[ ,/]+)+)\S/;

/** The rows a test's title names: `Q3 a blocked tier …`, `Q3 Q5 …`. */
export function rowsOf(title: string): string[] {
  const start = START.exec(title)?.[1];
  return start ? (start.match(/[A-Z]\d+[a-z]?/g) ?? []) : [];
}

/**
 * Rewrites the last column of docs/capabilities.md from the tests that just ran, and returns what is
 * wrong: a row that is said to work without a passing test, or with one that fails.
 */
export function updateCapabilities(file: string, results: readonly TestResult[]): string[] {
  const faults: string[] = [];
  const before = readFileSync(file, 'utf8');
  const after = before
    .split('\n')
    .map((line) => {
      const match = ROW.exec(line);
      if (!match) return line;
      const [, row, words, state] = match as unknown as [string, string, string, string];
      const mine = results.filter((one) => rowsOf(one.title).includes(row));
      const passed = mine.filter((one) => one.status === 'passed').length;
      const failed = mine.filter((one) => one.status === 'failed').length;
      if (state === 'works' && failed > 0)
        faults.push(`${row} is said to work, but ${failed} of its tests fail`);
      if (state === 'works' && passed === 0)
        faults.push(`${row} is said to work, but no test of it passes`);
      return `| ${row} | ${words} | ${state} | ${proof(mine)} |`;
    })
    .join('\n');
  if (after !== before) writeFileSync(file, after);
  return faults;
}

function proof(tests: readonly TestResult[]): string {
  if (tests.length === 0) return '–';
  const files = [...new Set(tests.map((one) => one.file))].sort();
  return files
    .map((file) => {
      const mine = tests.filter((one) => one.file === file);
      const failed = mine.filter((one) => one.status === 'failed').length;
      const short = file.replace(/^test\//, '').replace(/\.test\.ts$/, '');
      return `[${short}](../${file}) ${failed ? `${failed} of ${mine.length} fail` : `${mine.length} pass`}`;
    })
    .join(', ');
}
