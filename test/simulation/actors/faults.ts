import { HOUR, MINUTE, SECOND } from '../timeline.ts';
import { type Actor, nowAndThen } from './actor.ts';
import { flips } from './owner.ts';

/** Hosts die: at any moment, around a commit, in the middle of a transaction, three times in a row. */
export const crashes: Actor = {
  name: 'crashes',
  begin(world, random) {
    nowAndThen(world, random, 10 * HOUR, () => end());
    nowAndThen(world, random, 60 * HOUR, () => {
      for (let i = 0; i < 4; i++) world.time.after(i * 3 * MINUTE, end);
    });
    // While something runs there is more to lose.
    nowAndThen(world, random, 5 * MINUTE, () => {
      const runs = [...world.shadow.jobs.values()].some(({ state }) => state === 'running');
      if (runs && random.chance(0.25)) end();
    });

    function end(): void {
      if (world.isEnding) return;
      if (random.chance(0.3)) {
        world.hosts.crash();
        return;
      }
      const when = random.pick(['before', 'after', 'torn', 'inside'] as const);
      world.hosts.planCrash({ when, visit: random.whole(1, 8) });
    }
  },
};

/** Now and then there is work under which the host ends each time, once it has got somewhere. */
export const killers: Actor = {
  name: 'killers',
  begin(world, random) {
    const runs = (id: number) => world.shadow.jobs.get(id)?.state === 'running';
    world.onRunning.push(({ id, checkpoint }) => {
      if (id % 37 !== 19 || checkpoint === null) return;
      world.time.after(random.whole(1, 2 * SECOND), () => {
        if (!world.isEnding && runs(id)) world.hosts.crash();
      });
    });
  },
};

/** The owner quits and starts Lull again. */
export const restarts: Actor = {
  name: 'restarts',
  begin(world, random) {
    nowAndThen(world, random, 30 * HOUR, () => world.hosts.stop(random.wait(20 * MINUTE)));
  },
};

/** The disk: full, nearly full, or in use by another program for a moment. */
export const diskTrouble: Actor = {
  name: 'disk-trouble',
  begin(world, random) {
    flips(world, random, 25 * HOUR, 25 * MINUTE, (on) =>
      world.hosts.setDiskFault(on ? random.pick(['full', 'nearly-full', 'busy'] as const) : null),
    );
  },
};

/** The wall clock is wrong for a while, either way. */
export const clockTrouble: Actor = {
  name: 'clock-trouble',
  begin(world, random) {
    flips(world, random, 35 * HOUR, HOUR, (on) => set(on));
    function set(on: boolean): void {
      // Set while the machine sleeps, a clock that goes back would hide that it slept.
      if (world.time.asleep) {
        if (!on) world.time.after(MINUTE, () => set(false));
        return;
      }
      const far = random.pick([2 * SECOND, 40 * SECOND, 20 * MINUTE, 3 * HOUR, 26 * HOUR]);
      world.time.setWallError(on ? (random.chance(0.5) ? far : -far) : 0);
    }
  },
};
