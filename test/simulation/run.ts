/**
 * `npm run simulate -- --seed N --days D`: lives through some days of a made-up owner, machine and model
 * servers with the real engine, and checks after every step what must always hold. A run that finds
 * something is made shorter, told, and can be made again. `--without NAME` leaves an actor out (again
 * for more), `--trace` prints the last steps and what the run has seen, `--json` one line for programs.
 */
import { parseArgs } from 'node:util';
import { line, story } from './report.ts';
import { shrink } from './shrink.ts';
import { simulate } from './simulate.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    days: { type: 'string', default: '10' },
    without: { type: 'string', multiple: true, default: [] },
    trace: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});
const options = { seed: Number(values.seed), days: Number(values.days), without: values.without };
const began = process.cpuUsage();
const result = await simulate(options);
const { user, system } = process.cpuUsage(began);
const seconds = (user + system) / 1e6;
if (values.json) {
  console.log(JSON.stringify({ ...result, seconds }));
} else {
  if (values.trace) console.log([...result.last, JSON.stringify(result.tally, null, 1)].join('\n'));
  console.log(line(result, seconds));
  console.log(`digest ${result.digest}`);
  if (result.violation) console.log(story(await shrink(options, result)));
}
process.exit(result.violation ? 1 : 0);
