import { systemClock } from '../../../../main/base/clock.ts';
import { resolveHome } from '../../../../main/base/home.ts';
import { localLock } from '../../../../main/work/roster/lock/local-lock.ts';
import { AGENTS, claim, settingsOf } from '../../../support/relay/asking.ts';

/** One process that asks for an agent once it is told to; its exit code is the answer's. */
const [root = '', home = ''] = process.argv.slice(2);
const lock = localLock({
  ...{ root, home: resolveHome(home), clock: systemClock(), env: {} },
  ...{ settings: settingsOf([]), roster: { daily: AGENTS, weekly: AGENTS } },
  paused: { daily: [], weekly: [] },
});
process.stdin.resume();
process.stdin.on('end', async () => {
  process.exitCode = (await lock.acquire(claim())).code;
});
process.stdout.write('ready\n');
