import { HOUR, MINUTE } from '../timeline.ts';
import { type Actor, nowAndThen } from './actor.ts';
import { flips } from './owner.ts';

/** Mains and battery, and what else makes a machine unfit for heavy work. */
export const surroundings: Actor = {
  name: 'surroundings',
  begin(world, random) {
    const { machine } = world;
    const outage = machine.build === 'ups' ? 30 * MINUTE : 4 * HOUR;
    flips(world, random, machine.build === 'ups' ? 60 * HOUR : 12 * HOUR, outage, (off) => {
      machine.setPower(!off);
      // As laptops are set: on battery they save power.
      if (machine.build === 'laptop') machine.lowPower = off && random.chance(0.4);
    });
    flips(world, random, 50 * HOUR, 2 * HOUR, (on) => {
      if (machine.plugged) machine.setPower(true, on);
    });
    flips(world, random, 40 * HOUR, 20 * MINUTE, (on) => {
      machine.powerUnknown = on;
    });
    flips(world, random, 40 * HOUR, HOUR, (on) => {
      machine.percentUnknown = on;
    });
    flips(world, random, 30 * HOUR, 40 * MINUTE, (on) => {
      machine.thermal = on ? random.pick(['fair', 'serious', 'critical'] as const) : 'nominal';
    });
    flips(world, random, 30 * HOUR, HOUR, (on) => {
      machine.lowPower = on;
    });
    flips(world, random, 30 * HOUR, 30 * MINUTE, (on) => {
      machine.pressure = on ? random.pick(['warn', 'critical'] as const) : 'normal';
    });
  },
};

/** Model servers: moods, restarts, and other programs that use them too. */
export const serverTrouble: Actor = {
  name: 'server-trouble',
  begin(world, random) {
    for (const server of world.servers) {
      const was = server.mood;
      flips(world, random, 10 * HOUR, 50 * MINUTE, (on) => {
        const moods = [
          { faults: ['unreachable'], share: 1 },
          { faults: ['busy', 'server', 'out_of_memory'], share: 0.6 },
          { faults: ['truncated', 'malformed'], share: 0.4 },
          { faults: ['stalled', 'loading'], share: 0.3 },
          { sticky: random.whole(1, 90) * MINUTE },
          { lag: random.whole(1, 12) * 1000 },
          { tells: random.pick([0.1, 0.5, 0.9]) },
          { babbles: true },
          { stalls: true },
          { slowness: random.whole(3, 20) },
        ] as const;
        server.mood = on ? { ...was, ...random.pick(moods) } : was;
      });
      nowAndThen(world, random, 40 * HOUR, () => server.restart());
      flips(world, random, 15 * HOUR, 90 * MINUTE, (on) =>
        server.foreign(
          on ? random.pick(['other-4:latest', 'other-12:latest', 'other-30:latest']) : null,
        ),
      );
    }
  },
};
