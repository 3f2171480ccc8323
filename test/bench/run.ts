/**
 * `npm run bench`: how fast Lull is beside a reference, on this machine, now.
 *
 *   node test/bench/run.ts [--only NAME] [--quick] [--json FILE]
 *
 * Prints a table and, with --json, writes an array of {name, ours, reference, ratio, goal, holds}.
 * `--only` takes the benches whose name contains NAME. Figures are medians over rounds in which ours
 * and the reference take turns.
 *
 * A new bench is a file `<name>.bench.ts` beside this one that exports `benches: Bench[]` (bench.ts
 * has the pieces), and a line in FILES below.
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { Bench, Row } from './bench.ts';

const FILES: (() => Promise<{ benches: Bench[] }>)[] = [
  () => import('./queue.bench.ts'),
  () => import('./host.bench.ts'),
  () => import('./panel.bench.ts'),
  () => import('./worker.bench.ts'),
  () => import('./cycle.bench.ts'),
  () => import('./lock.bench.ts'),
];

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    quick: { type: 'boolean', default: false },
    json: { type: 'string' },
  },
});

function figure(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString('en-US');
  return value.toPrecision(3);
}

function print(rows: readonly Row[]): void {
  const lines = rows.map((row) => [
    row.name,
    `${figure(row.ours)} ${row.unit}`,
    `${figure(row.reference)} ${row.unit}`,
    row.ratio.toFixed(2),
    row.goal,
    row.holds === null ? '' : row.holds ? 'holds' : 'MISSED',
  ]);
  const table = [['', 'ours', 'reference', 'ratio', 'goal', ''], ...lines];
  const widths = table[0]?.map((_, column) =>
    Math.max(...table.map((l) => l[column]?.length ?? 0)),
  );
  for (const line of table) {
    const cells = line.map((cell, column) => {
      const width = widths?.[column] ?? 0;
      return column >= 1 && column <= 3 ? cell.padStart(width) : cell.padEnd(width);
    });
    console.log(cells.join('  ').trimEnd());
  }
}

const rows: Row[] = [];
const broken: string[] = [];
for (const file of FILES) {
  for (const bench of (await file()).benches) {
    if (values.only !== undefined && !bench.name.includes(values.only)) continue;
    console.error(`running ${bench.name} …`);
    try {
      rows.push(...(await bench.run({ quick: values.quick })));
    } catch (error) {
      // What the others measured is still told.
      console.error(`${bench.name} broke off:`, error);
      broken.push(bench.name);
      process.exitCode = 1;
    }
  }
}
print(rows);
const missed = rows.filter((row) => row.holds === false).length;
if (broken.length > 0) console.log(`\nNot measured: ${broken.join(', ')}.`);
if (missed > 0) console.log(`\n${missed} goals missed.`);
else if (broken.length === 0) console.log('\nEvery goal holds.');
if (values.json !== undefined) {
  const out = rows.map(({ unit: _, ...row }) => row);
  writeFileSync(values.json, `${JSON.stringify(out, null, 2)}\n`);
}
