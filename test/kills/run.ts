/**
 * `npm run kills`: ends hosts and their workers inside every stage (20 times each, or `--each N`, or
 * `--total N` over all), starts them again, and lets the checker read what is left. `--place NAME`
 * runs one place, `--seed N` repeats a run;
 * `--mutations` breaks the host in ways that the checker has to notice, and fails when it does not.
 */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { CLI } from '../support/built.ts';
import { keepCompiled } from '../support/compiled.ts';
import { killPlace } from './kill-place.ts';
import { discard, MUTATIONS, mutated } from './mutations.ts';
import { PLACES } from './places.ts';
import { makeTemplate, remove } from './scenario.ts';

await keepCompiled();
const { values } = parseArgs({
  options: {
    each: { type: 'string', default: '20' },
    total: { type: 'string' },
    place: { type: 'string' },
    mutations: { type: 'boolean', default: false },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
const tree = { root: join(import.meta.dirname, '..', '..'), cli: CLI };
const seed = Number(values.seed);
const names = Object.keys(PLACES).filter((name) => !values.place || name === values.place);
const each = values.total ? Math.ceil(Number(values.total) / names.length) : Number(values.each);
if (names.length === 0) {
  console.error(`there is no place "${values.place}": ${Object.keys(PLACES).join(', ')}`);
  process.exit(1);
}
console.log(`seed ${seed}, ${each} kills a place`);
const template = makeTemplate(tree);
let failed = 0;
try {
  if (values.mutations) failed = await runMutations();
  else await runPlaces();
} finally {
  remove(template);
}
console.log(
  failed === 0
    ? values.mutations
      ? 'every break was noticed'
      : 'nothing was lost or doubled'
    : `${failed} faults: repeat with --seed ${seed}`,
);
process.exit(failed === 0 ? 0 : 1);

async function runPlaces(): Promise<void> {
  for (const name of names) {
    const result = await killPlace({
      tree,
      template,
      name,
      times: each,
      seed,
      atOnce: availableParallelism(),
    });
    const missed = result.times - result.reached;
    console.log(
      `${name.padEnd(18)} ${result.reached} killed${missed ? `, ${missed} not reached` : ''}, ${result.faults.length} faults`,
    );
    for (const fault of result.faults) console.log(`  ${fault}`);
    failed += result.faults.length + missed;
  }
}

async function runMutations(): Promise<number> {
  let unnoticed = 0;
  for (const mutation of MUTATIONS) {
    const broken = mutated(tree, mutation);
    const { place: name } = mutation;
    const result = await killPlace({
      tree: broken,
      template,
      name,
      times: 3,
      seed,
      atOnce: availableParallelism(),
    });
    discard(broken);
    console.log(`${result.faults.length > 0 ? 'noticed' : 'NOT NOTICED'}  ${mutation.name}`);
    for (const fault of result.faults.slice(0, 2)) console.log(`  ${fault}`);
    unnoticed += result.faults.length > 0 ? 0 : 1;
  }
  return unnoticed;
}
