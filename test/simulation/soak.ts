/**
 * `npm run soak`: 300 seeds of 10 days over all cores (`--seeds N`, `--days D`, `--from SEED`). A run
 * that finds something is made shorter and told with the command that makes it again.
 * `npm run soak -- --mutations` breaks the engine in each of the ways of `mutations/`, runs seeds until
 * an invariant notices, and prints which one did; `--only NAME` takes those whose name contains it.
 */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Measured, runSeeds } from './children.ts';
import { tryMutations } from './mutations.ts';
import { line, story } from './report.ts';
import { shrink } from './shrink.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '300' },
    days: { type: 'string', default: '10' },
    from: { type: 'string', default: '1' },
    mutations: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    workers: { type: 'string', default: String(availableParallelism()) },
  },
});
const root = join(import.meta.dirname, '..', '..');
const days = Number(values.days);
const workers = Number(values.workers);
process.exit(
  values.mutations ? await tryMutations(root, { only: values.only, workers }) : await soak(),
);

async function soak(): Promise<number> {
  const seeds = Array.from({ length: Number(values.seeds) }, (_, i) => Number(values.from) + i);
  const began = performance.now();
  const results: Measured[] = [];
  const problems: string[] = [];
  const next = () => seeds.splice(0, 10);
  async function worker(): Promise<void> {
    for (let batch = next(); batch.length > 0; batch = next()) {
      const done: number[] = [];
      const problem = await runSeeds(root, days, batch, {
        each(result) {
          results.push(result);
          done.push(result.seed);
          console.log(line(result, result.seconds));
        },
      });
      if (problem) problems.push(problem);
      // A run that found something ends its process: the rest of its batch goes back.
      const rest = batch.filter((seed) => !done.includes(seed));
      if (done.length > 0) seeds.unshift(...rest);
      else problems.push(`seed ${batch[0]} gave no result`);
    }
  }
  await Promise.all(Array.from({ length: workers }, worker));
  const broken = results.filter(({ violation }) => violation);
  for (const result of broken.slice(0, 5))
    console.log(story(await shrink({ seed: result.seed, days }, result)));
  for (const problem of problems) console.log(problem);
  const hours = results.reduce((sum, one) => sum + one.hours, 0);
  const seconds = results.reduce((sum, one) => sum + one.seconds, 0);
  const minutes = (performance.now() - began) / 60_000;
  console.log(
    `${results.length} runs of ${days} days, ${Math.round(hours).toLocaleString('en-US')} simulated hours in ` +
      `${minutes.toFixed(1)} minutes (${Math.round((hours / seconds) * 60)} a minute of one core): ` +
      `${broken.length} found something`,
  );
  return broken.length === 0 && problems.length === 0 ? 0 : 1;
}
