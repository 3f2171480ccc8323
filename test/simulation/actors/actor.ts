import type { Random } from '../random.ts';
import type { World } from '../world.ts';

/** Someone or something that acts on the world, by a stream of chance of its own, until the run ends. */
export interface Actor {
  readonly name: string;
  begin(world: World, random: Random): void;
}

/** Does something again and again, at times that have no memory; `mean` in ms. */
export function nowAndThen(world: World, random: Random, mean: number, act: () => unknown): void {
  world.time.after(random.wait(mean), () => {
    if (world.isEnding) return;
    void act();
    nowAndThen(world, random, mean, act);
  });
}

/** Something is so for a while, now and then. */
export function forAWhile(
  world: World,
  random: Random,
  times: { mean: number; lasts: number },
  begin: () => void,
  end: () => void,
): void {
  world.time.after(random.wait(times.mean), () => {
    if (world.isEnding) return;
    begin();
    world.time.after(random.wait(times.lasts), () => {
      end();
      forAWhile(world, random, times, begin, end);
    });
  });
}
