import type { Clock } from '../../main/base/clock.ts';

/** A clock that a test owns: time moves only by `advance`, and timers fire in their order. */
export class FakeClock implements Clock {
  #wall: number;
  #mono = 0;
  #seed = 1;
  #next = 1;
  #timers = new Map<number, { at: number; run: () => void }>();

  constructor(wall = 1_780_000_000_000) {
    this.#wall = wall;
  }

  now(): number {
    return this.#wall;
  }

  monotonic(): number {
    return this.#mono;
  }

  timer(ms: number, run: () => void): () => void {
    const id = this.#next++;
    this.#timers.set(id, { at: this.#mono + Math.max(0, ms), run });
    return () => this.#timers.delete(id);
  }

  /** Repeatable: the same sequence in every test. */
  random(): number {
    this.#seed = (this.#seed * 48_271) % 2_147_483_647;
    return this.#seed / 2_147_483_647;
  }

  get pendingTimers(): number {
    return this.#timers.size;
  }

  /** Milliseconds till the next timer, or null. */
  get nextTimer(): number | null {
    const times = [...this.#timers.values()].map((timer) => timer.at);
    return times.length ? Math.min(...times) - this.#mono : null;
  }

  /** Lets both times pass, firing due timers in order; async work settles between them. */
  async advance(ms: number): Promise<void> {
    const end = this.#mono + ms;
    for (;;) {
      await settle();
      const due = [...this.#timers.entries()]
        .filter(([, timer]) => timer.at <= end)
        .sort((a, b) => a[1].at - b[1].at || a[0] - b[0])[0];
      if (!due) break;
      this.#timers.delete(due[0]);
      this.#pass(due[1].at - this.#mono);
      due[1].run();
    }
    this.#pass(end - this.#mono);
    await settle();
  }

  /** The machine sleeps: wall time passes, monotonic time stands still. */
  suspend(ms: number): void {
    this.#wall += ms;
  }

  /** Someone sets the clock: wall time jumps, either way. */
  jump(ms: number): void {
    this.#wall += ms;
  }

  #pass(ms: number): void {
    this.#mono += ms;
    this.#wall += ms;
  }
}

/** Lets promises and I/O callbacks that are ready run. */
export async function settle(rounds = 5): Promise<void> {
  for (let i = 0; i < rounds; i++) await new Promise<void>((resolve) => setImmediate(resolve));
}
