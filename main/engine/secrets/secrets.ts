import type { Clock } from '../../base/clock.ts';
import type { Config } from '../../base/config-schema.ts';
import { ok, type Result } from '../../base/errors.ts';
import type { Scrubber } from '../../base/scrubber.ts';
import type { Store } from '../../base/store/database.ts';
import { eventsTable } from '../../base/store/events.ts';
import { ModelError } from '../models/server.ts';
import type { ServerKey } from '../models/server-key.ts';
import { type Minted, openBroker } from './broker.ts';
import type { Seal } from './seal.ts';
import { openVault, type SecretHead } from './vault.ts';

export interface SecretsParts {
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly store: Pick<Store, 'db'>;
  readonly config: () => Pick<Config, 'models'>;
  /** secrets.json. */
  readonly file: string;
  readonly seal: Seal | null;
  readonly scrubber: Scrubber;
}

export interface SecretRow extends SecretHead {
  /** The model servers that the settings let have it. */
  usedBy: string[];
}

/** A token for one action of one job, to be ended with the action. */
export interface Grant {
  readonly token: string;
  end(): void;
}

export interface Secrets {
  list(): Result<SecretRow[]>;
  set(name: string, value: string): Promise<Result<SecretRow>>;
  remove(name: string): Result<SecretRow>;
  /** Brings what lies open under the seal, where there is one; returns how many. Never rejects. */
  sealOpen(): Promise<number>;
  /** The key of a server whose settings name a secret; null for all others. */
  keyOf(server: Config['models']['servers'][number]): ServerKey | null;
  /** Lets one job call a server with its key; null where the server asks for none. */
  grant(server: string, job: number | null): Grant | null;
}

/** The room of secrets: the vault behind the broker, and who may ask by the settings in force. */
export function openSecrets(parts: SecretsParts): Secrets {
  const { clock, store, config, file, seal, scrubber } = parts;
  const vault = openVault({ file, seal, scrubber, now: () => clock.now() });
  const events = eventsTable(store.db);
  const servers = () => config().models.servers;
  const broker = openBroker({
    ...{ clock, vault },
    scopeOf: (role) =>
      servers().flatMap(({ name, secret }) => (secret && role === roleOf(name) ? [secret] : [])),
    record({ kind, job, payload }) {
      if (store.db.readonly) return;
      try {
        events.record(clock.now(), kind, job, payload);
      } catch {
        // A full disk must not keep work from a server that could do it.
      }
    },
  });

  function row(head: SecretHead): SecretRow {
    const usedBy = servers().flatMap(({ name, secret }) => (secret === head.name ? [name] : []));
    return { ...head, usedBy };
  }
  const rowOf = (head: Result<SecretHead>): Result<SecretRow> =>
    head.ok ? ok(row(head.value)) : head;

  return {
    list() {
      const heads = vault.list();
      return heads.ok ? ok(heads.value.map(row)) : heads;
    },
    async set(name, value) {
      const head = await vault.set(name, value);
      if (head.ok) broker.revokeSecret(name);
      return rowOf(head);
    },
    remove(name) {
      broker.revokeSecret(name);
      return rowOf(vault.remove(name));
    },
    sealOpen: () => vault.sealOpen().catch(() => 0),
    keyOf({ name, secret }) {
      if (secret === undefined) return null;
      let own: Minted | null = null;
      return {
        scrub: scrubber.scrub,
        async reveal(token) {
          // What Lull asks for itself (its models, a load) goes by one token as long as it lives.
          if (token === undefined && !broker.isLive(own?.accessor)) {
            own = broker.mint({ role: roleOf(name), job: null });
          }
          const got = await broker.redeem(token ?? (own as Minted).token, secret);
          if (got.ok) return got.value;
          const hint = got.hint ? ` - ${got.hint}` : '';
          throw new ModelError('denied', `${name}: ${got.message}${hint}`);
        },
      };
    },
    grant(server, job) {
      if (!servers().some(({ name, secret }) => name === server && secret !== undefined)) {
        return null;
      }
      const { token, accessor } = broker.mint({ role: roleOf(server), job });
      return { token, end: () => void broker.revoke(accessor) };
    },
  };
}

function roleOf(server: string): string {
  return `model-server:${server}`;
}
