import type { Clock } from '../../main/base/clock.ts';
import { type Due, Heap } from './heap.ts';
import type { Random } from './random.ts';

interface Timer extends Due {
  run: (() => void) | null;
}

/** What stops the timers of a host that is gone. */
export interface Mortal {
  alive: boolean;
}

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** No program of any use does so much in one simulated second. */
const MOST_EVENTS_A_SECOND = 5000;

/**
 * Time that passes by jumps from one event to the next; nothing waits. Three times are kept apart:
 * `real` always goes on; the machine's own (monotonic) stands still while it sleeps; the wall clock
 * can be set. What the world does is timed by the first, what runs on the machine by the second.
 */
export class Timeline {
  /** Milliseconds since the beginning. */
  real = 0;
  asleep = false;
  readonly #start: number;
  #wallError = 0;
  #slept = 0;
  #order = 0;
  readonly #world = new Heap<Timer>();
  readonly #machine = new Heap<Timer>();
  #second = 0;
  #inSecond = 0;

  /** `start`: epoch ms of the beginning. */
  constructor(start: number) {
    this.#start = start;
  }

  /** Epoch ms as it really is. */
  get truth(): number {
    return this.#start + this.real;
  }

  /** Epoch ms as the machine's clock shows it. */
  get wall(): number {
    return this.truth + this.#wallError;
  }

  get monotonic(): number {
    return this.real - this.#slept;
  }

  /** How far the wall clock is off. */
  get wallError(): number {
    return this.#wallError;
  }

  setWallError(ms: number): void {
    this.#wallError = ms;
  }

  /** Calls `run` after so much real time, whether or not the machine is awake. */
  after(ms: number, run: () => void): () => void {
    return add(this.#world, { at: this.real + Math.max(0, ms), order: this.#order++, run });
  }

  /** Calls `run` after so much time awake. */
  awake(ms: number, run: () => void): () => void {
    return add(this.#machine, { at: this.monotonic + Math.max(1, ms), order: this.#order++, run });
  }

  /** The clock of one host; its timers end with it. */
  clockOf(host: Mortal, random: Random): Clock {
    return {
      now: () => this.wall,
      monotonic: () => this.monotonic,
      timer: (ms, run) =>
        this.awake(Math.ceil(ms), () => {
          if (host.alive) run();
        }),
      random: random.next,
    };
  }

  /**
   * Goes to the next event, at `until` (real) at the latest, and carries it out. False when `until`
   * was reached. Throws where so much happens in one second that the machine would be kept busy.
   */
  advance(until: number): boolean {
    const world = next(this.#world);
    const machine = this.asleep ? undefined : next(this.#machine);
    const worldAt = world ? world.at : Number.POSITIVE_INFINITY;
    const machineAt = machine ? machine.at + this.#slept : Number.POSITIVE_INFINITY;
    const at = Math.min(worldAt, machineAt);
    if (at > until) {
      this.#pass(until);
      return false;
    }
    this.#pass(Math.max(this.real, at));
    const due = worldAt <= machineAt ? this.#world.pop() : this.#machine.pop();
    due?.run?.();
    this.#count();
    return true;
  }

  #pass(to: number): void {
    if (this.asleep) this.#slept += to - this.real;
    this.real = to;
  }

  #count(): void {
    const second = Math.floor(this.real / SECOND);
    if (second !== this.#second) {
      this.#second = second;
      this.#inSecond = 0;
    }
    this.#inSecond += 1;
    if (this.#inSecond > MOST_EVENTS_A_SECOND) throw new Spinning();
  }
}

/** The host does not come to rest. */
export class Spinning extends Error {
  constructor() {
    super(`more than ${MOST_EVENTS_A_SECOND} timers ended within one second`);
  }
}

function add(heap: Heap<Timer>, timer: Timer): () => void {
  heap.push(timer);
  return () => {
    timer.run = null;
  };
}

/** The first that was not taken back. */
function next(heap: Heap<Timer>): Timer | undefined {
  for (;;) {
    const first = heap.peek();
    if (!first || first.run !== null) return first;
    heap.pop();
  }
}
