import { type GateInput, opened, type Verdict } from './gate.ts';
import { momentInWords, watchTime } from './words.ts';

/**
 * Whether the owner is here; heavy work waits while they are. The rules are asked in this order and
 * the first that matches decides. A fact that is unknown makes its rule silent, but for two: unknown
 * idle time counts as here, and an unknown display counts as on just after a wake.
 */
export function presenceGate(input: GateInput): Verdict {
  for (const rule of RULES) {
    const verdict = rule(input);
    if (verdict) return verdict;
  }
  return byIdleTime(input);
}

type Rule = (input: GateInput) => Verdict | null;

const RULES: readonly Rule[] = [
  byOwnersWord,
  byRemoteSession,
  byLock,
  byRecentWake,
  byCall,
  byDisplayAssertion,
  byDisplay,
];

function byOwnersWord({ override, now }: GateInput): Verdict | null {
  if (!override || (override.until !== null && override.until <= now)) return null;
  const until = override.until === null ? '' : ` until ${momentInWords(override.until, now)}`;
  if (override.present) {
    return here({
      code: 'said-here',
      reason: `You said that you are here${until}: heavy work waits.`,
      waitsFor: 'you to step away',
      changesAt: override.until,
    });
  }
  const reason = `You said that you are away${until}: heavy work may run.`;
  return opened('presence', 'said-away', reason, override.until);
}

/** Asked before the lock: whoever works from afar has the screen locked or dark (an option). */
function byRemoteSession({ facts, config }: GateInput): Verdict | null {
  if (!facts.remote || !config.presence.remoteSessions) return null;
  return here({
    code: 'remote',
    reason: 'Someone works here through a remote session: heavy work waits for its end.',
    waitsFor: 'the remote session to end',
  });
}

function byLock({ facts }: GateInput): Verdict | null {
  return facts.locked ? away('locked', 'The screen is locked, so you are away.') : null;
}

/** Whoever opened the lid has not touched a key yet, and the idle counter may hold a night's sleep. */
function byRecentWake({ facts, awakeSeconds, config, now }: GateInput): Verdict | null {
  const threshold = config.presence.idleThresholdSeconds;
  if (awakeSeconds === null || awakeSeconds >= threshold || facts.displayAsleep) return null;
  const missing = threshold - Math.min(awakeSeconds, facts.idleSeconds ?? threshold);
  return here({
    code: 'just-woken',
    reason: `The machine woke up ${watchTime(awakeSeconds)} ago: heavy work waits for ${watchTime(threshold)}.`,
    waitsFor: 'you to step away',
    changesAt: after(now, missing),
  });
}

function byCall({ facts, config }: GateInput): Verdict | null {
  if (!facts.micInUse || !config.presence.calls) return null;
  return here({
    code: 'call',
    reason: 'The microphone is in use, as on a call: heavy work waits for its end.',
    waitsFor: 'your call to end',
  });
}

function byDisplayAssertion({ facts, config }: GateInput): Verdict | null {
  if (!facts.displayAssertion || !config.presence.displayAssertions) return null;
  return here({
    code: 'display-kept-on',
    reason: 'A program keeps the display on, as for a film: heavy work waits for its end.',
    waitsFor: 'the film or presentation to end',
  });
}

function byDisplay({ facts }: GateInput): Verdict | null {
  return facts.displayAsleep ? away('display-off', 'The display is off, so you are away.') : null;
}

function byIdleTime({ facts, config, now }: GateInput): Verdict {
  const { idleThresholdSeconds: threshold, unattended } = config.presence;
  const idle = facts.idleSeconds;
  if (idle === null) {
    if (unattended) {
      return away(
        'unattended',
        'Idle time is unknown; the settings call this machine unattended, so you are away.',
      );
    }
    return here({
      code: 'idle-unknown',
      reason:
        'Idle time is unknown, so you count as here: heavy work waits. Where nobody sits, set presence.unattended.',
      waitsFor: 'a sign that you are away',
    });
  }
  const last = watchTime(idle);
  if (idle >= threshold) {
    return away(
      'idle',
      `You are away: last input ${last} ago, and ${watchTime(threshold)} is enough.`,
    );
  }
  return here({
    code: 'active',
    reason: `You are here: last input ${last} ago, heavy work waits for ${watchTime(threshold)}.`,
    waitsFor: 'you to step away',
    changesAt: after(now, threshold - idle),
  });
}

function here(what: {
  code: string;
  reason: string;
  waitsFor: string;
  changesAt?: number | null;
}): Verdict {
  return {
    id: 'presence',
    open: false,
    blocks: 'heavy',
    waivedBy: 'presence',
    changesAt: null,
    ...what,
  };
}

function away(code: string, reason: string): Verdict {
  return opened('presence', code, reason);
}

function after(now: number, seconds: number): number {
  return now + Math.ceil(seconds * 1000);
}
