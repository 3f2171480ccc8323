/**
 * Runs the seeds that are named, one after the other, and prints a line of JSON for each. For the soak:
 * `node seeds.ts DAYS SEED …`. It ends at the first run that finds something.
 */
import { simulate } from './simulate.ts';

const [days = '10', ...seeds] = process.argv.slice(2);
for (const seed of seeds) {
  const began = process.cpuUsage();
  const result = await simulate({ seed: Number(seed), days: Number(days) });
  const { user, system } = process.cpuUsage(began);
  process.stdout.write(`${JSON.stringify({ ...result, seconds: (user + system) / 1e6 })}\n`);
  if (result.violation) process.exit(1);
}
