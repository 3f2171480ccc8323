/**
 * `npm run damage`: changes one bit in each of 200 databases and logs (`--count N`), lets a host live
 * over each, and prints what became of them. Never a crash, never a wrong edge of a job's state.
 * `--seed N` repeats a run.
 */
import { parseArgs } from 'node:util';
import { type Fate, type Flip, flipOne, makeTemplates, random } from './flips.ts';

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '200' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
const seed = Number(values.seed);
console.log(`seed ${seed}, ${values.count} changed bits`);
const templates = await makeTemplates();
const flips: Flip[] = [];
try {
  const draw = random(seed);
  for (let n = 0; n < Number(values.count); n++) {
    const flip = await flipOne(templates, draw);
    flips.push(flip);
    for (const fault of flip.faults) console.log(`  ${flip.file}, bit ${flip.bit}: ${fault}`);
  }
} finally {
  templates.remove();
}

for (const file of ['database', 'log'] as const) {
  const mine = flips.filter((one) => one.file === file);
  const of = (fate: Fate) => mine.filter((one) => one.fate === fate).length;
  const seen = of('restored') + of('log kept') + of('refused');
  const mattering = seen + of('unseen');
  console.log(
    `${file.padEnd(8)} ${mine.length} bits: ${of('restored')} restored, ${of('log kept')} log kept, ` +
      `${of('refused')} refused, ${of('unseen')} unseen, ${of('harmless')} harmless; ` +
      `detected ${seen} of ${mattering} that change what is read` +
      (mattering > 0 ? ` (${Math.round((100 * seen) / mattering)} %)` : ''),
  );
}
const faults = flips.flatMap((one) => one.faults).length;
console.log(
  faults === 0 ? 'no crash, no wrong edge' : `${faults} faults: repeat with --seed ${seed}`,
);
process.exit(faults === 0 ? 0 : 1);
