import { monitorEventLoopDelay } from 'node:perf_hooks';

/** What a process can say of itself. */
export interface ProcessPulse {
  /** Resident memory, bytes. */
  residentBytes(): number;
  /** The event loop's longest delay since the last question, ms; null while it is not measured. */
  loopDelayMs(): number | null;
  /** Measuring needs a timer, which would wake an idle host: to be done only while work runs. */
  measure(on: boolean): void;
}

/** For a life whose process is not its own, as in a simulation. */
export const NO_PULSE: ProcessPulse = {
  residentBytes: () => 0,
  loopDelayMs: () => null,
  measure() {},
};

const RESOLUTION_MS = 20;

/** This process. A delay is what the timer of the measuring came too late. */
export function processPulse(): ProcessPulse {
  let histogram: ReturnType<typeof monitorEventLoopDelay> | null = null;
  return {
    residentBytes: () => process.memoryUsage.rss(),
    loopDelayMs() {
      if (!histogram || histogram.count === 0) return null;
      const delay = histogram.max / 1e6 - RESOLUTION_MS;
      histogram.reset();
      return Math.max(0, delay);
    },
    measure(on) {
      if (on === (histogram !== null)) return;
      histogram?.disable();
      histogram = on ? monitorEventLoopDelay({ resolution: RESOLUTION_MS }) : null;
      histogram?.enable();
    },
  };
}
