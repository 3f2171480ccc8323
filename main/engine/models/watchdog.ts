import { type Clock, LONGEST_TIMER_MS } from '../../base/clock.ts';

/** How long one thing may take, and its words for the message. */
export interface Stage {
  readonly waitingFor: string;
  readonly ms: number;
}

/** Patience with a server, milliseconds. Progress is counted in bytes, never in tokens. */
export interface Patience {
  /** Short questions: version, lists, an unload. */
  answer: number;
  /** Weights and cache into memory; minutes from a slow disk (ollama/ollama#5494). */
  load: number;
  /** From the request to the first byte with the model loaded: the prompt is read here. */
  firstToken: number;
  /** Between bytes: some servers are silent while they gather the arguments of a tool call. */
  betweenTokens: number;
}

export const PATIENCE: Patience = {
  answer: 15_000,
  load: 15 * 60_000,
  firstToken: 15 * 60_000,
  betweenTokens: 10 * 60_000,
};

export interface Watchdog {
  /** Something arrived. */
  beat(): void;
  /** Another stage begins now. */
  enter(stage: Stage): void;
  /** The stage that ran out, or null. */
  expired(): Stage | null;
  stop(): void;
}

/**
 * Calls `bite` once when a stage passes without a beat. It goes by monotonic time, which stands
 * still while the machine sleeps, so that a suspended call is not taken for a stalled one.
 */
export function watchdog(clock: Clock, first: Stage, bite: () => void): Watchdog {
  let stage = first;
  let since = clock.monotonic();
  let bitten: Stage | null = null;
  let cancel = arm();

  function arm(): () => void {
    const left = since + stage.ms - clock.monotonic();
    return clock.timer(Math.min(Math.max(left, 1), LONGEST_TIMER_MS), look);
  }

  function look(): void {
    if (clock.monotonic() - since < stage.ms) {
      cancel = arm();
      return;
    }
    bitten = stage;
    bite();
  }

  return {
    beat() {
      since = clock.monotonic();
    },
    enter(next) {
      if (bitten) return;
      stage = next;
      since = clock.monotonic();
      cancel();
      cancel = arm();
    },
    expired: () => bitten,
    stop: () => cancel(),
  };
}
