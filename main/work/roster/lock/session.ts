import type { Clock } from '../../../base/clock.ts';
import type { Home } from '../../../base/home.ts';
import { openRosterStore, type RosterStore } from '../../../base/store/roster-lock.ts';
import type { ByCadence } from '../repository/cadence.ts';
import type { LockSettings } from '../repository/config.ts';
import type { Roster } from '../repository/roster.ts';
import { Transcript } from './answer.ts';
import { machineClaims } from './claims.ts';
import { LockFault } from './fault.ts';
import type { Looking } from './look.ts';
import type { LockAnswer } from './port.ts';
import { relayAddresses } from './relay-address.ts';
import { relayPool } from './relay-pool.ts';
import { repositoryScope } from './scope.ts';

export interface LockOptions {
  /** The repository. */
  root: string;
  home: Home;
  clock: Clock;
  env: NodeJS.ProcessEnv;
  settings: LockSettings;
  roster: Roster;
  paused: ByCadence<string[]>;
}

/** What a lock remembers between its operations: the claims this process made. */
export type Made = Map<string, number>;

/** One operation on the lock: its record is open, and its relays are reached as they are needed. */
export interface Session extends Looking {
  options: LockOptions;
  talk: Transcript;
}

/**
 * Runs one operation and closes what it opened. A lock that cannot be asked becomes exit 2 with its
 * category; nothing is thrown.
 */
export async function inSession(
  options: LockOptions,
  made: Made,
  work: (session: Session) => Promise<LockAnswer>,
): Promise<LockAnswer> {
  const talk = new Transcript();
  const closing: (() => void)[] = [];
  try {
    const { settings, clock } = options;
    const relays = relayAddresses(settings.relays, 'nostrLock.relays');
    if (relays.length === 0) {
      throw new LockFault('malformed_relay_url_config', 'nostrLock.relays names no relay');
    }
    const fallbacks = relayAddresses(settings.relayFallbacks, 'nostrLock.relayFallbacks');
    const copies = settings.minSuccessfulRelayPublishes;
    const many = new Set([...relays, ...fallbacks]).size;
    if (copies > many) {
      throw new LockFault(
        'relay_publish_quorum_failure',
        `nostrLock.minSuccessfulRelayPublishes is ${copies}, but there are ${many} relays - add relays or ask for fewer`,
      );
    }
    const store = openRosterStore(options.home);
    closing.push(() => store.close());
    const pool = relayPool(
      {
        relays,
        fallbacks,
        queryTimeoutMs: settings.queryTimeoutMs,
        publishTimeoutMs: settings.publishTimeoutMs,
        copies,
        leastActive: settings.minActiveRelayPool,
      },
      clock,
      store,
    );
    closing.push(() => pool.close());
    const scope = `nostr:${settings.namespace}:${repositoryScope(options.root)}`;
    const say = (line: string) => talk.say(line);
    tellOfRelays(talk, [...relays, ...fallbacks], store, clock.now());
    const claims = machineClaims(store, scope, made);
    const { namespace } = settings;
    return await work({ options, talk, clock, namespace, scope, store, claims, pool, say });
  } catch (error) {
    return unreachable(talk, error, options.home);
  } finally {
    for (const close of closing.reverse()) close();
  }
}

function unreachable(talk: Transcript, error: unknown, home: Home): LockAnswer {
  if (error instanceof LockFault) {
    for (const { relay, message } of error.faults) talk.say(`${relay}: ${message}`);
    talk.fault(`The lock cannot be reached: ${error.message}`, error.category);
  } else {
    talk.failed(error, home);
  }
  return talk.end(2);
}

/** What a relay sees is said once for each, before the first message to it. */
function tellOfRelays(
  talk: Transcript,
  relays: readonly string[],
  store: RosterStore,
  now: number,
): void {
  const news = relays.filter((url) => !store.relays.isTold(url));
  if (news.length === 0) return;
  store.tx(() => {
    for (const url of news) store.relays.tell(url, now);
  });
  talk.say(`First use of ${news.join(', ')}.`);
  talk.say(
    'A relay sees the address of this machine. Whoever asks it can read which agent runs when: its name and cadence, platform, model, commit, and the path and hash of its prompt. Prompts and results are not sent.',
  );
}
