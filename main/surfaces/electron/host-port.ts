import type { Home } from '../../base/home.ts';
import type { Log } from '../../base/log.ts';
import type { Hello } from '../contract.ts';
import type { Dispatch, Subscribe } from '../dispatch.ts';

/** The running host, as the desktop surface needs it. */
export interface Host {
  readonly hello: Hello;
  readonly dispatch: Dispatch;
  readonly subscribe: Subscribe;
  readonly log: Pick<Log, 'warn'>;
  /** Something outside changed (power, lock, sleep): read the facts again soon. */
  wake(): void;
  /** Asks what runs to yield, waits for it, and gives the data folder free. Safe twice. */
  stop(): Promise<void>;
  /** Time is short: what runs has this long to come to a good end, milliseconds. */
  hurry(graceMs: number): void;
}

/** Opens the host of a data folder; `onOpen` when somebody asks for its panel. Rejects with LullError host_running where another one holds it. */
export type OpenHost = (home: Home, onOpen: () => void) => Promise<Host>;
