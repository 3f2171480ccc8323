import type { Clock } from './base/clock.ts';
import type { ConfigChanges } from './base/config.ts';
import type { Config } from './base/config-schema.ts';
import type { Result } from './base/errors.ts';
import type { Home } from './base/home.ts';
import type { Scrubber } from './base/scrubber.ts';
import type { Store } from './base/store/database.ts';
import type { BackupParts } from './desk/backups.ts';
import type { FactsSource } from './engine/gates/facts.ts';
import type { Connect } from './engine/models/models.ts';
import type { Seal } from './engine/secrets/seal.ts';
import type { SleepHold } from './engine/supervisor/sleep-keeper.ts';

/** What the rooms stand on: one open store, and everything that is outside of them. */
export interface Ground {
  readonly home: Home;
  readonly clock: Clock;
  readonly store: Store;
  readonly config: () => Config;
  readonly setConfig: (changes: ConfigChanges) => Result<Config>;
  readonly facts: FactsSource;
  readonly sleepHold: SleepHold;
  /** The keychain; null where there is none. */
  readonly seal: Seal | null;
  readonly scrubber: Scrubber;
  readonly forceOffline: boolean;
  readonly offlineDelayMs: number;
  /** RAM of this machine, bytes; left out: as the system says. */
  readonly totalMemoryBytes?: number;
  /** How the configured model servers are reached; left out: over the network. */
  readonly connect?: Connect;
  /** Puts a backup in the place of the database; left out: nobody keeps one here. */
  readonly replace?: BackupParts['replace'];
  readonly onFault: (command: string, error: unknown) => void;
  readonly onModelChange: () => void;
}
