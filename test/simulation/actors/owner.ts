import type { Random } from '../random.ts';
import { DAY, HOUR, MINUTE } from '../timeline.ts';
import type { World } from '../world.ts';
import type { Actor } from './actor.ts';
import { deskAct } from './desk.ts';

/** Comes in the morning, works in stretches, leaves at night; some nights the lid is closed. */
export const owner: Actor = {
  name: 'owner',
  begin(world, random) {
    const { machine, time } = world;

    function day(number: number): void {
      const off = random.chance(0.2);
      const comes = number * DAY + random.whole(7, 10) * HOUR + random.whole(0, 59) * MINUTE;
      const goes = number * DAY + random.whole(16, 23) * HOUR + random.whole(0, 59) * MINUTE;
      time.after(Math.max(0, comes - time.real), () => {
        if (world.isEnding) return;
        if (!off) stretch(goes);
        day(number + 1);
      });
    }

    function stretch(goes: number): void {
      if (world.isEnding) return;
      if (time.real >= goes) {
        night();
        return;
      }
      machine.wake();
      machine.touch(true);
      if (random.chance(0.5)) machine.announce();
      const ends = Math.min(goes, time.real + random.whole(10, 100) * MINUTE);
      acts(ends);
      time.after(ends - time.real, () => {
        if (world.isEnding) return;
        machine.touch(false);
        machine.locked = random.chance(0.3);
        if (random.chance(0.3)) machine.displayAsleep = true;
        if (random.chance(0.15)) closeLid();
        time.after(random.whole(3, 70) * MINUTE, () => stretch(goes));
      });
    }

    function acts(until: number): void {
      time.after(random.wait(8 * MINUTE), () => {
        if (world.isEnding || time.real >= until) return;
        void deskAct(world, random);
        acts(until);
      });
    }

    function night(): void {
      machine.touch(false);
      machine.locked = random.chance(0.5);
      machine.displayAsleep = random.chance(0.6);
      if (random.chance(0.25)) closeLid();
    }

    function closeLid(): void {
      if (machine.build !== 'laptop') return;
      machine.sleep();
      darkWakes();
    }

    /** It wakes by itself for a moment now and then, with the display off. */
    function darkWakes(): void {
      time.after(random.wait(2 * HOUR), () => {
        if (!time.asleep || world.isEnding) return;
        machine.displayAsleep = true;
        machine.wake();
        time.after(random.whole(1, 20) * MINUTE, () => {
          if (machine.active || time.asleep || world.isEnding) return;
          machine.sleep();
          darkWakes();
        });
      });
    }

    day(0);
  },
};

/** Goes to sleep by itself where nobody is there and nothing holds it awake. */
export const idleSleep: Actor = {
  name: 'idle-sleep',
  begin(world, random) {
    if (world.machine.build !== 'laptop') return;
    const patience = random.pick([20, 45, 600]);
    look();
    function look(): void {
      const { machine, time } = world;
      time.after(5 * MINUTE, () => {
        if (world.isEnding) return;
        const held = time.monotonic < machine.holdUntil;
        const idle = machine.active ? 0 : machine.idleSeconds() / 60;
        if (!time.asleep && !held && idle > (machine.plugged ? patience : 15)) {
          machine.sleep();
          // A program's timer, or the owner, wakes it again.
          time.after(random.wait(3 * HOUR), () => {
            if (!world.isEnding && time.asleep) machine.wake();
          });
        }
        look();
      });
    }
  },
};

/** What else there is about the owner's presence: calls, films, the word they give, probes that fail. */
export const signs: Actor = {
  name: 'signs',
  begin(world, random) {
    const { machine } = world;
    flips(world, random, 20 * HOUR, 40 * MINUTE, (on) => {
      machine.micInUse = on;
    });
    flips(world, random, 30 * HOUR, 100 * MINUTE, (on) => {
      machine.displayAssertion = on;
    });
    flips(world, random, 40 * HOUR, 30 * MINUTE, (on) => {
      machine.idleUnknown = on;
    });
    flips(world, random, 60 * HOUR, HOUR, (on) => {
      machine.exclusiveApp = on ? 'game' : '';
    });
  },
};

export function flips(
  world: World,
  random: Random,
  mean: number,
  lasts: number,
  set: (on: boolean) => void,
): void {
  world.time.after(random.wait(mean), () => {
    if (world.isEnding) return;
    set(true);
    if (random.chance(0.5)) world.machine.announce();
    world.time.after(random.wait(lasts), () => {
      set(false);
      if (world.isEnding) return;
      if (random.chance(0.5)) world.machine.announce();
      flips(world, random, mean, lasts, set);
    });
  });
}
