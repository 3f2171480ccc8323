import { type Clock, systemClock } from './base/clock.ts';
import { changeConfig, configOf } from './base/config.ts';
import { type LiveConfig, liveConfig } from './base/config-watch.ts';
import type { Home } from './base/home.ts';
import { type Log, openLog } from './base/log.ts';
import { createScrubber } from './base/scrubber.ts';
import { type HostLock, takeLock } from './base/store/lock.ts';
import { VERSION } from './base/version.ts';
import { fileFacts } from './engine/gates/file-facts.ts';
import { machineFacts } from './engine/gates/machine-facts.ts';
import type { Seal } from './engine/secrets/seal.ts';
import { NO_HOLD, type SleepHold } from './engine/supervisor/sleep-keeper.ts';
import { processPulse } from './engine/vitals/pulse.ts';
import type { WorkerPort } from './engine/workers/port.ts';
import { openLastingLife } from './lasting-life.ts';
import type { Life } from './life.ts';
import type { Hello } from './surfaces/contract.ts';
import type { Dispatch, Subscribe } from './surfaces/dispatch.ts';

export interface HostOptions {
  readonly home: Home;
  /** Use the offline model, whatever is configured. */
  readonly offline: boolean;
  /** A file of facts to read instead of the machine's own; null for the machine's. */
  readonly facts: string | null;
  /** Milliseconds each answer of the offline model takes; 0 unless a test asks for more. */
  readonly offlineDelayMs?: number;
  /** Gets one line for whoever started the host, where a backup was put back or nothing works. */
  readonly say?: (line: string) => void;
  /** Also gets each line of the log. */
  readonly echo?: (line: string) => void;
  readonly clock?: Clock;
  /** Holds system sleep off while heavy work runs on mains; without it nothing does. */
  readonly sleepHold?: SleepHold;
  /** What closes secrets to all but the desktop app; without it they lie in a file of mode 0600. */
  readonly seal?: Seal;
  /** How worker processes are had; without it every kind of work runs in this process. */
  readonly workerPort?: WorkerPort;
}

/** A living host: the one writer of its data folder, at work until it is stopped. */
export interface Host {
  readonly lock: HostLock;
  readonly hello: Hello;
  readonly dispatch: Dispatch;
  readonly subscribe: Subscribe;
  readonly log: Log;
  /** Something outside changed (an event of the system): the facts are read again soon. */
  wake(): void;
  /** Lets what runs yield, closes the run cleanly and gives the folder free. Safe twice. */
  stop(): Promise<void>;
  /** Time is short: what runs has this long to come to a good end, milliseconds. */
  hurry(graceMs: number): void;
}

/**
 * Takes the lock, opens the database, settles what an earlier run left, and sets to work. Throws
 * LullError: host_running, the database's own codes, or invalid for a broken config or facts file.
 */
export async function openHost(options: HostOptions): Promise<Host> {
  const { home, sleepHold = NO_HOLD, seal = null } = options;
  const clock = options.clock ?? systemClock();
  const lock = takeLock(home, { version: VERSION, now: clock.now() });
  const undo: (() => void)[] = [() => lock.release()];
  try {
    const first = configOf(home.config);
    let live: LiveConfig | null = null;
    const config = () => live?.current() ?? first;
    const facts = options.facts === null ? machineFacts(clock, config) : fileFacts(options.facts);
    const scrubber = createScrubber();
    const { scrub } = scrubber;
    const log = openLog({ dir: home.logs, clock, echo: options.echo, scrub, ...first.log });
    undo.push(() => log.close());

    let life: Life | null = null;
    live = liveConfig(home.config, first, clock, (config, problem) =>
      life?.reconfigured(config, problem),
    );
    undo.push(live.stop);
    life = await openLastingLife({
      ...{ home, clock, log, config, facts, sleepHold, forceOffline: options.offline },
      ...{ seal, scrubber, pulse: processPulse() },
      offlineDelayMs: options.offlineDelayMs ?? 0,
      say: options.say ?? (() => {}),
      ...(options.workerPort && { workerPort: options.workerPort }),
      setConfig(changes) {
        const set = changeConfig(home.config, changes);
        if (set.ok) live?.reload();
        return set;
      },
    });

    const { hello, dispatch, subscribe, wake, hurry, stop: end } = life;
    let stopping: Promise<void> | null = null;
    async function stop(): Promise<void> {
      try {
        await end();
      } finally {
        unwind(undo);
      }
    }
    return {
      ...{ lock, log, hello, dispatch, subscribe, wake, hurry },
      stop: () => (stopping ??= stop()),
    };
  } catch (error) {
    unwind(undo);
    throw error;
  }
}

/** Takes each step back, the last first; one that throws keeps none of the others from it. */
function unwind(undo: (() => void)[]): void {
  const faults: unknown[] = [];
  for (const step of undo.reverse()) {
    try {
      step();
    } catch (error) {
      faults.push(error);
    }
  }
  if (faults.length > 0) throw faults[0];
}
