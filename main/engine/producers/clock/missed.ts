import { countBetween, nextAfter, occurrencesBetween, type Rule } from './rule.ts';

/** What becomes of occurrences that passed before they could be admitted. */
export type MissedPolicy =
  /** One job for all of them; the others are counted on it. */
  | { kind: 'coalesce' }
  /** None: only an occurrence that is at most a minute late is run. */
  | { kind: 'skip' }
  /** One job for those whose window is open; it must start before its window closes. */
  | { kind: 'within'; seconds: number }
  /** A job for each of the newest `atMost`, oldest first; older ones are counted as missed. */
  | { kind: 'replay'; atMost: number };

/** A pass may come this late and still be on time: durable state is re-read every 30 s. */
export const ON_TIME_MS = 60_000;

export interface Plan {
  /** Jobs to ask for, in this order. */
  admit: readonly PlannedJob[];
  /** Occurrences closed without a job, by the policy. */
  missed: number;
  /** Where the schedule stands once all of it is done; null when no occurrence follows. */
  next: number | null;
}

export interface PlannedJob {
  /** The occurrence it is admitted for; part of its identity. */
  due: number;
  /** The moment after which it must not start any more. */
  expiresAt: number | null;
  /** Further occurrences that it stands for. */
  coalesced: number;
}

/** Decides what to do at `now` with a schedule whose first open occurrence is `due` (due ≤ now). */
export function planMissed(rule: Rule, policy: MissedPolicy, due: number, now: number): Plan {
  const total = 1 + countBetween(rule, due, now);
  const next = nextAfter(rule, now);
  const plan = (admit: readonly PlannedJob[]): Plan => {
    const taken = admit.reduce((sum, job) => sum + 1 + job.coalesced, 0);
    return { admit, missed: total - taken, next };
  };
  const latest = () => occurrencesBetween(rule, due, now, 1)[0] ?? due;
  switch (policy.kind) {
    case 'coalesce':
      return plan([{ due, expiresAt: null, coalesced: total - 1 }]);
    case 'skip': {
      const at = latest();
      return plan(now - at <= ON_TIME_MS ? [{ due: at, expiresAt: null, coalesced: 0 }] : []);
    }
    case 'within': {
      const at = latest();
      const window = policy.seconds * 1000;
      if (at + window <= now) return plan([]);
      const closed = now - window;
      const later = at === due ? 0 : countBetween(rule, Math.max(due, closed), at);
      const coalesced = later === 0 ? 0 : later - 1 + (due > closed ? 1 : 0);
      return plan([{ due: at, expiresAt: at + window, coalesced }]);
    }
    case 'replay': {
      const later = occurrencesBetween(rule, due, now, policy.atMost);
      const dues = later.length < policy.atMost ? [due, ...later] : later;
      return plan(dues.map((at) => ({ due: at, expiresAt: null, coalesced: 0 })));
    }
  }
}
