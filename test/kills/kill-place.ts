import type { Tree } from './host.ts';
import { killMigration } from './migration.ts';
import { PLACES } from './places.ts';
import {
  copyOf,
  type Ended,
  killAt,
  remove,
  useWorkers,
  workerKilledAt,
  zombieAt,
} from './scenario.ts';

export interface PlaceResult {
  times: number;
  reached: number;
  faults: string[];
}

/** Ends hosts or workers `times` times inside one place, each at a failpoint and a visit drawn from the seed. */
export async function killPlace(options: {
  tree: Tree;
  template: string;
  name: string;
  times: number;
  seed: number;
  atOnce: number;
}): Promise<PlaceResult> {
  const { tree, template, name, times, seed } = options;
  const place = PLACES[name];
  if (!place) throw new Error(`there is no place ${name}`);
  const draw = random(seed);
  const kills = Array.from({ length: times }, (_, i) => {
    const point = place.points[i % place.points.length] as string;
    const visit = `${point}:${1 + Math.floor(draw() * place.visits)}`;
    return place.ends ? `${1 + Math.floor(draw() * place.ends)}/${visit}` : visit;
  });
  const result: PlaceResult = { times, reached: 0, faults: [] };

  async function one(failpoint: string): Promise<void> {
    const home = copyOf(template);
    if (place?.workers) useWorkers(home, place.workers);
    const { ending, faults } = await end(home, failpoint);
    if (ending === 'reached') result.reached += 1;
    result.faults.push(...faults.map((fault) => `${failpoint}: ${fault}`));
    if (faults.length === 0) remove(home);
    else result.faults.push(`${failpoint}: left in ${home}`);
  }

  async function end(home: string, failpoint: string): Promise<Ended> {
    if (name === 'migration') return { ending: 'reached', faults: killMigration(home, failpoint) };
    if (name === 'hung host') return zombieAt(tree, home, failpoint);
    return (place?.ends ? workerKilledAt : killAt)(tree, home, failpoint);
  }

  const waiting = [...kills];
  const worker = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) await one(next);
  };
  await Promise.all(Array.from({ length: options.atOnce }, worker));
  return result;
}

/** Repeatable numbers in [0, 1). */
function random(seed: number): () => number {
  let state = (seed % 2_147_483_646) + 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
