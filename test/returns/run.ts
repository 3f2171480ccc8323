/**
 * `npm run returns`: the owner comes back in the middle of a model call that would last two minutes or
 * more, 20 times each way (`--times N`): the job gives way at its step's end, or by an abort after the
 * grace. Prints how long it took until nothing was generated for it and until its model had left
 * memory, by the test server's log. `--way step|abort` plays one way, `--at-once N` so many side by
 * side; `--facts` takes a file of facts where a key on a display would be pressed.
 */
import { parseArgs } from 'node:util';
import { HAS_DISPLAY } from './owner.ts';
import { Disturbed, playReturn, type Returned, type Way } from './story.ts';

const { values } = parseArgs({
  options: {
    times: { type: 'string', default: '20' },
    way: { type: 'string' },
    'at-once': { type: 'string', default: '5' },
    facts: { type: 'boolean', default: false },
  },
});
const CALL_SECONDS = 130;
/** The step's end lies within the grace of 10 s and after a look (2 s), each time elsewhere. */
const leadOf = (round: number) => 3 + (round % 6);

/** A machine that stands still for seconds, as under a snapshot, makes the host think that it slept. */
const MOST_DISTURBED = 20;
let disturbed = 0;

const display = HAS_DISPLAY && !values.facts;
const times = Number(values.times);
const ways = (['step', 'abort'] as const).filter((way) => !values.way || way === values.way);
console.log(
  `${times} returns each way, by ${display ? 'a key pressed on a display' : 'a file of facts'}; ` +
    `the call under way lasts ${CALL_SECONDS} s`,
);
let failed = 0;
for (const way of ways) failed += await report(way, await play(way));
if (disturbed > 0) {
  console.log(
    `${disturbed} rounds were played again: the job had given way before the owner returned`,
  );
}
console.log(failed === 0 ? 'every return was honoured' : `${failed} faults`);
process.exit(failed === 0 ? 0 : 1);

async function play(way: Way): Promise<Returned[]> {
  const rounds = Array.from({ length: times }, (_, round) => round);
  const done: Returned[] = [];
  const worker = async () => {
    for (let round = rounds.shift(); round !== undefined; round = rounds.shift()) {
      const leadSeconds = leadOf(round);
      try {
        const one = await playReturn({ way, callSeconds: CALL_SECONDS, leadSeconds, display });
        done.push(one);
        console.error(`round ${round + 1}: ${one.yieldMs} ms, ${one.freeMs} ms`);
      } catch (error) {
        if (!(error instanceof Disturbed) || disturbed >= MOST_DISTURBED) throw error;
        disturbed += 1;
        rounds.push(round);
        console.error(`round ${round + 1}: gave way before the return (${error.message}); again`);
      }
    }
  };
  await Promise.all(Array.from({ length: Number(values['at-once']) }, worker));
  return done;
}

async function report(way: Way, played: Returned[]): Promise<number> {
  const how = way === 'step' ? 'at the step’s end' : 'by abort, after the grace';
  const faults = played.flatMap((one) => one.faults);
  const yielding = figures(played.map(({ yieldMs }) => yieldMs));
  const freeing = figures(played.map(({ freeMs }) => freeMs));
  console.log(`${how}: ${played.length} returns, ${faults.length} faults`);
  console.log(`  time-to-yield  ${yielding.text}  (goal: p95 15.0 s or less)`);
  console.log(`  time-to-free   ${freeing.text}  (goal: p95 30.0 s or less)`);
  for (const fault of faults) console.log(`  ${fault}`);
  const late = (yielding.p95 > 15_000 ? 1 : 0) + (freeing.p95 > 30_000 ? 1 : 0);
  return faults.length + late;
}

/** By nearest rank. */
function figures(ms: number[]): { p95: number; text: string } {
  const sorted = [...ms].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
  const seconds = (value: number) => `${(value / 1000).toFixed(1)} s`;
  const p95 = at(0.95);
  return { p95, text: `p50 ${seconds(at(0.5))}  p95 ${seconds(p95)}  most ${seconds(at(1))}` };
}
