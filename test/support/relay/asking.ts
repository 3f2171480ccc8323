import type { LockAnswer, NewClaim } from '../../../main/work/roster/lock/port.ts';
import type { LockSettings } from '../../../main/work/roster/repository/config.ts';

export const AGENTS = ['audit-agent', 'ci-health-agent', 'docs-agent'];

export function settingsOf(urls: string[], changes: Partial<LockSettings> = {}): LockSettings {
  return {
    namespace: 'garden',
    hashtag: 'garden-agent-lock',
    relays: urls,
    relayFallbacks: [],
    ttlSeconds: 7200,
    queryTimeoutMs: 20_000,
    publishTimeoutMs: 15_000,
    minSuccessfulRelayPublishes: 1,
    minActiveRelayPool: 1,
    whenUnreachable: 'fail',
    rosters: { daily: null, weekly: null },
    ...changes,
  };
}

export function claim(agent = 'docs-agent', cadence: NewClaim['cadence'] = 'daily'): NewClaim {
  return { cadence, agent, platform: 'claude', model: 'opus' };
}

/** The `KEY=value` lines of an answer. */
export function pairs(answer: LockAnswer): Record<string, string> {
  return Object.fromEntries(
    answer.stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
}
