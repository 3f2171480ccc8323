import type { Home } from '../../../base/home.ts';
import { rosterFault } from '../../../base/store/roster-lock.ts';
import type { FaultCategory } from './fault.ts';
import type { LockAnswer } from './port.ts';

/** Gathers what a lock says, in the forms that existing tools read. */
export class Transcript {
  #out: string[] = [];
  #err: string[] = [];

  /** Progress, for people: standard error. */
  say(line: string): void {
    this.#err.push(line);
  }

  /** `KEY=value` lines; those without a value are left out. */
  pairs(pairs: Readonly<Record<string, string | number | null>>): void {
    for (const [key, value] of Object.entries(pairs)) {
      if (value !== null && value !== '') this.#out.push(`${key}=${value}`);
    }
  }

  /** One line of JSON. */
  json(value: unknown): void {
    this.#out.push(JSON.stringify(value));
  }

  /** Why the lock cannot be asked, for people and for cycles. */
  fault(message: string, category: FaultCategory): void {
    this.#err.push(`${message} error_category=${category}`);
  }

  /** What no relay is at fault for: the machine's own record, or this program. */
  failed(error: unknown, home: Home): void {
    const { message, hint } = rosterFault(error, home);
    const how = hint ? ` - ${hint}` : '';
    this.fault(`The lock failed: ${message}${how}`, 'unknown_backend_error');
  }

  end(code: LockAnswer['code']): LockAnswer {
    const text = (lines: string[]) => (lines.length ? `${lines.join('\n')}\n` : '');
    return { code, stdout: text(this.#out), stderr: text(this.#err) };
  }
}

export type Denial = 'already_completed' | 'already_locked';

export function denied(talk: Transcript, reason: Denial, existing: string | null): LockAnswer {
  talk.pairs({ LOCK_STATUS: 'denied', LOCK_REASON: reason, LOCK_EXISTING_EVENT: existing });
  return talk.end(3);
}

/** A lock that was acquired. Times are unix seconds. */
export function acquired(
  talk: Transcript,
  lock: {
    event: string;
    pubkey: string;
    agent: string;
    hashtag: string;
    cadence: string;
    date: string;
    expiresAt: number;
    gitCommit: string | null;
    promptHash: string | null;
  },
): LockAnswer {
  talk.pairs({
    LOCK_STATUS: 'ok',
    LOCK_EVENT_ID: lock.event,
    LOCK_PUBKEY: lock.pubkey,
    LOCK_AGENT: lock.agent,
    LOCK_HASHTAG: lock.hashtag,
    LOCK_CADENCE: lock.cadence,
    LOCK_DATE: lock.date,
    LOCK_EXPIRES: lock.expiresAt,
    LOCK_EXPIRES_ISO: new Date(lock.expiresAt * 1000).toISOString(),
    LOCK_GIT_COMMIT: lock.gitCommit,
    LOCK_PROMPT_HASH: lock.promptHash,
  });
  return talk.end(0);
}

export function completed(
  talk: Transcript,
  about: { event: string | null; agent: string; cadence: string; date: string },
): LockAnswer {
  talk.pairs({
    LOCK_STATUS: 'completed',
    LOCK_EVENT_ID: about.event,
    LOCK_AGENT: about.agent,
    LOCK_CADENCE: about.cadence,
    LOCK_DATE: about.date,
  });
  return talk.end(0);
}

/** One lock in the answer to a check. Times are ISO texts. */
export interface ShownLock {
  agent: string;
  eventId: string;
  createdAt: string;
  expiresAt: string | null;
  platform: string;
}

/** The answer to a check, its keys in the order of existing tools. */
export function checkDocument(about: {
  namespace: string;
  cadence: string;
  date: string;
  roster: readonly string[];
  paused: readonly string[];
  completed: readonly string[];
  locks: readonly ShownLock[];
}) {
  const locked = sorted(about.locks.map(({ agent }) => agent));
  const paused = sorted(about.paused);
  const done = sorted(about.completed);
  const excluded = sorted([...locked, ...paused, ...done]);
  return {
    namespace: about.namespace,
    cadence: about.cadence,
    date: about.date,
    locked,
    paused,
    completed: done,
    excluded,
    available: sorted(about.roster.filter((agent) => !excluded.includes(agent))),
    lockCount: about.locks.length,
    unknownLockedAgents: locked.filter((agent) => !about.roster.includes(agent)),
    locks: about.locks,
  };
}

function sorted(names: readonly string[]): string[] {
  return [...new Set(names)].sort();
}
