/** How a relay answered lately, and whether it is left alone for a while. */
export interface RelayHealth {
  /** The last outcomes, oldest first: milliseconds when it answered, else how it failed. */
  outcomes: (number | 'timeout' | 'failure')[];
  failuresInARow: number;
  /** Of the last quarantine; 0 when there was none since it last answered. */
  cooldownMs: number;
  /** Epoch ms; 0 for none. */
  quarantinedUntil: number;
}

export type Outcome = RelayHealth['outcomes'][number];

const KEPT = 25;
const FAILURES = 3;
const FIRST_COOLDOWN_MS = 30_000;
const LONGEST_COOLDOWN_MS = 300_000;

export const UNKNOWN_HEALTH: RelayHealth = {
  outcomes: [],
  failuresInARow: 0,
  cooldownMs: 0,
  quarantinedUntil: 0,
};

/** Health after one more outcome: three failures in a row put a relay in quarantine, longer each time. */
export function withOutcome(health: RelayHealth, outcome: Outcome, now: number): RelayHealth {
  const outcomes = [...health.outcomes, outcome].slice(-KEPT);
  if (typeof outcome === 'number') {
    return { outcomes, failuresInARow: 0, cooldownMs: 0, quarantinedUntil: 0 };
  }
  const failuresInARow = health.failuresInARow + 1;
  if (failuresInARow < FAILURES) return { ...health, outcomes, failuresInARow };
  const cooldownMs = health.cooldownMs
    ? Math.min(LONGEST_COOLDOWN_MS, health.cooldownMs * 1.5)
    : FIRST_COOLDOWN_MS;
  return { outcomes, failuresInARow: 0, cooldownMs, quarantinedUntil: now + cooldownMs };
}

export function isQuarantined(health: RelayHealth, now: number): boolean {
  // A clock that was set back must not prolong it.
  return now < health.quarantinedUntil && health.quarantinedUntil - now <= LONGEST_COOLDOWN_MS;
}

/** Higher is better: successes count for it, time-outs, slowness and quarantine against it. */
export function scoreOf(health: RelayHealth, now: number): number {
  const answered = health.outcomes.filter((outcome) => typeof outcome === 'number');
  const total = health.outcomes.length;
  const success = total ? answered.length / total : 0.5;
  const timeouts = total ? health.outcomes.filter((one) => one === 'timeout').length / total : 0;
  const latency = answered.length
    ? answered.reduce((sum, ms) => sum + ms, 0) / answered.length / 10_000
    : 0.1;
  const quarantine = isQuarantined(health, now) ? 1 : 0;
  return 1.4 * success - 0.9 * timeouts - Math.min(0.35, latency) - quarantine;
}

/** What was stored of a relay's health; anything unreadable counts as unknown. */
export function healthFrom(text: string | null): RelayHealth {
  if (text === null) return UNKNOWN_HEALTH;
  try {
    const { outcomes, failuresInARow, cooldownMs, quarantinedUntil } = JSON.parse(text);
    const sound =
      Array.isArray(outcomes) &&
      outcomes.every((one) => typeof one === 'number' || one === 'timeout' || one === 'failure') &&
      [failuresInARow, cooldownMs, quarantinedUntil].every(Number.isFinite);
    if (sound) return { outcomes, failuresInARow, cooldownMs, quarantinedUntil };
  } catch {
    // as if nothing were known
  }
  return UNKNOWN_HEALTH;
}
