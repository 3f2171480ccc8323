/**
 * `npm run fleet -- [--seed N] [--windows N] [--faults]`: four machines go round one roster over three
 * relays. Ends with 1 where an agent ran twice without a fault of the relays, or anything went unseen.
 */
import { parseArgs } from 'node:util';
import { runFleet } from './fleet.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    windows: { type: 'string', default: '50' },
    faults: { type: 'boolean', default: false },
  },
});
const { faults } = values;
const say = (line: string) => console.log(line);
const report = await runFleet({
  ...{ seed: Number(values.seed), windows: Number(values.windows), faults, say },
});
const { windows, cycles, completed, doubles, unreported, starved, logFaults } = report;
say(`${windows} windows, ${cycles} cycles, ${completed} turns completed (seed ${values.seed})`);
say(`ran twice: ${doubles.length}, of them unreported: ${unreported.join(', ') || 'none'}`);
say(`starved: ${starved.join(', ') || 'none'}`);
say(`logs: ${logFaults.join('; ') || 'all valid'}`);
const bad = unreported.length + starved.length + logFaults.length;
process.exitCode = bad > 0 || (!faults && doubles.length > 0) ? 1 : 0;
