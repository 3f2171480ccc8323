/** One machine of a fleet, in a process of its own: ROOT HOME SKEW-MS. It does a cycle at each message. */
import { systemClock } from '../../../../main/base/clock.ts';
import { ok } from '../../../../main/base/errors.ts';
import { resolveHome } from '../../../../main/base/home.ts';
import { runCycle } from '../../../../main/work/roster/cycle/cycle.ts';
import { nostrLock } from '../../../../main/work/roster/lock/nostr-lock.ts';
import { lockOptions } from '../../../../main/work/roster/lock/open-lock.ts';

const [root = '', folder = '', skew = '0'] = process.argv.slice(2);
const home = resolveHome(folder);
const real = systemClock();
let base = 0;
let begun = 0;
/** Time goes on as it does; only the day is another one. */
const clock = { ...real, now: () => Math.round(base + real.monotonic() - begun + Number(skew)) };

process.on('message', async ({ at }: { at: number }) => {
  base = at;
  begun = real.monotonic();
  const said: string[] = [];
  const around = {
    ...{ cwd: root, env: process.env, clock, signal: new AbortController().signal },
    say: { out() {}, err: (line: string) => void said.push(line) },
  };
  const options = {
    cadence: 'daily',
    platform: 'fleet',
    model: null,
    handoffLimitMs: 60_000,
  } as const;
  const result = await runCycle(options, {
    ...around,
    openLock() {
      const lock = lockOptions({ root, home, clock, env: process.env });
      return lock.ok ? ok(nostrLock(lock.value)) : lock;
    },
  });
  const { status, agent, reason, detail } = result;
  process.send?.({ status, agent, reason, detail, said });
});
process.on('disconnect', () => process.exit());
process.send?.('ready');
