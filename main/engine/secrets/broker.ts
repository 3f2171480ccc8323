import type { Clock } from '../../base/clock.ts';
import { failure, type Result } from '../../base/errors.ts';
import { randomToken, sha256 } from '../../base/ids.ts';
import type { Vault } from './vault.ts';

/** Who may ask for which secrets; nobody else may ask for any. */
export type ScopeOf = (role: string) => readonly string[];

/** Who acts with a token. */
export interface Holder {
  /** What it acts as, for example `model-server:lab`. */
  role: string;
  /** The job it acts for; null: for Lull's own upkeep. */
  job: number | null;
}

export interface Minted {
  /** Opens the secrets of its role, until it expires or is revoked. Never stored. */
  token: string;
  /** Names the token in records, and opens nothing. */
  accessor: string;
  /** Epoch ms. */
  expiresAt: number;
}

/** One line for the trail: a token given out, or a secret that was refused. */
export interface Trail {
  kind: 'secret.token' | 'secret.refused';
  job: number | null;
  payload: object;
}

export interface Broker {
  mint(holder: Holder, ttlMs?: number): Minted;
  /** The secret's value for the bearer of a token that lives and whose role may have it. */
  redeem(token: string, secret: string): Promise<Result<string>>;
  /** Whether the token of this accessor still opens something. */
  isLive(accessor: string | undefined): boolean;
  /** The token opens nothing any more; false where it did not live. */
  revoke(accessor: string): boolean;
  /** Every token that could open this secret ends; returns how many. */
  revokeSecret(secret: string): number;
}

export interface BrokerParts {
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly vault: Pick<Vault, 'read'>;
  readonly scopeOf: ScopeOf;
  /** Writes the trail; must not throw. */
  readonly record: (line: Trail) => void;
}

interface Grant extends Holder {
  accessor: string;
  scope: readonly string[];
  expiresAt: number;
  /** The end by monotonic time: a clock that is set back prolongs nothing. */
  endsAt: number;
}

const TTL_MS = 10 * 60_000;

/**
 * Gives out short-lived tokens instead of secrets. A token is bound to one role and to what that role
 * may see at this moment; only its digest is kept, in memory alone. In one process this is an audit trail
 * and a fence against mistakes, not isolation: code that wants to can read the same file.
 */
export function openBroker({ clock, vault, scopeOf, record }: BrokerParts): Broker {
  const grants = new Map<string, Grant>();

  function drop(when: (grant: Grant) => boolean): number {
    let dropped = 0;
    for (const [digest, grant] of grants) {
      if (when(grant) && grants.delete(digest)) dropped += 1;
    }
    return dropped;
  }

  /** Both clocks must allow it: sleep stops one of them, and the owner may set the other. */
  function isOver({ expiresAt, endsAt }: Grant): boolean {
    return clock.now() >= expiresAt || clock.monotonic() >= endsAt;
  }

  function refused(grant: Grant | null, secret: string, why: string): Result<string> {
    const payload = { accessor: grant?.accessor ?? null, role: grant?.role ?? null, secret, why };
    record({ kind: 'secret.refused', job: grant?.job ?? null, payload });
    return failure('refused', `the secret "${secret}" is not given out: ${why}`);
  }

  return {
    mint(holder, ttlMs = TTL_MS) {
      drop(isOver);
      const { role, job } = holder;
      const token = randomToken(32);
      const accessor = randomToken(9);
      const scope = [...scopeOf(role)];
      const expiresAt = clock.now() + ttlMs;
      const grant = { role, job, accessor, scope, expiresAt, endsAt: clock.monotonic() + ttlMs };
      grants.set(sha256(token), grant);
      record({ kind: 'secret.token', job, payload: { accessor, role, scope, expiresAt } });
      return { token, accessor, expiresAt };
    },
    async redeem(token, secret) {
      const grant = grants.get(sha256(token)) ?? null;
      if (!grant) return refused(null, secret, 'the token is unknown or was revoked');
      if (isOver(grant)) return refused(grant, secret, 'the token has expired');
      if (!grant.scope.includes(secret)) {
        return refused(grant, secret, `"${grant.role}" may not have it`);
      }
      return vault.read(secret);
    },
    isLive: (accessor) =>
      [...grants.values()].some((grant) => grant.accessor === accessor && !isOver(grant)),
    revoke: (accessor) => drop((grant) => grant.accessor === accessor) > 0,
    revokeSecret: (secret) => drop(({ scope }) => scope.includes(secret)),
  };
}
