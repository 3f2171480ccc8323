/**
 * `npm test`: sees to what the suites need, runs them, keeps docs/capabilities.md true, and closes
 * with one line `N passed, N failed, N skipped`. Arguments go to vitest (then only part is run, and
 * the capabilities are left alone).
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suiteTimes, timeReport } from './support/budgets.ts';
import { updateCapabilities } from './support/capabilities.ts';
import { provide } from './support/needs.ts';

const root = join(import.meta.dirname, '..');
const only = process.argv.slice(2);
const missing = provide();
const build = spawnSync(process.execPath, [join(root, 'bin', 'build.mjs')], {
  cwd: root,
  stdio: 'inherit',
});
if (build.status !== 0) process.exit(build.status ?? 1);

const scratch = mkdtempSync(join(tmpdir(), 'lull-tests-'));
const report = join(scratch, 'report.json');
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
const run = spawnSync(
  process.execPath,
  [vitest, 'run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`, ...only],
  { cwd: root, stdio: 'inherit' },
);

interface Report {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numFailedTestSuites: number;
  testResults: {
    name: string;
    status: string;
    startTime: number;
    endTime: number;
    assertionResults: { fullName: string; title: string; status: string }[];
  }[];
}
let result: Report;
try {
  result = JSON.parse(readFileSync(report, 'utf8'));
} catch {
  console.error('the test runner left no report');
  process.exit(1);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

let failed = result.numFailedTests;
const broken = result.testResults.filter(
  (file) =>
    file.status === 'failed' && !file.assertionResults.some((one) => one.status === 'failed'),
);
failed += broken.length;
for (const file of broken)
  console.error(`this file failed before or outside its tests: ${file.name}`);
if (only.length === 0) {
  const faults = updateCapabilities(
    join(root, 'docs', 'capabilities.md'),
    result.testResults.flatMap((file) =>
      file.assertionResults.map((one) => ({
        file: file.name.slice(root.length + 1),
        title: one.title,
        status: one.status,
      })),
    ),
  );
  for (const fault of faults) console.error(`docs/capabilities.md: ${fault}`);
  failed += faults.length;
}
const times = suiteTimes(
  result.testResults.map(({ name, startTime, endTime }) => ({
    file: name.slice(root.length + 1),
    seconds: (endTime - startTime) / 1000,
  })),
);
for (const line of timeReport(times)) console.log(line);
for (const item of missing)
  console.log(`left out: ${item.suites}, because ${item.name} is missing`);
if (run.status !== 0 && failed === 0) failed = 1;
console.log(`${result.numPassedTests} passed, ${failed} failed, ${result.numPendingTests} skipped`);
process.exit(failed === 0 ? 0 : 1);
