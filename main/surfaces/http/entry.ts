import { randomToken, sha256 } from '../../base/ids.ts';

/** Links that wait to be opened, and browsers that were let in: the oldest go first. */
const MOST_LINKS = 16;
const MOST_SESSIONS = 64;

const DAY_MS = 86_400_000;
/** A browser that has not been heard of for so long has to bring a link again. */
const FORGOTTEN_MS = 30 * DAY_MS;

/** A browser that was let in. */
export interface Session {
  /** SHA-256 of what its cookie holds. */
  digest: string;
  /** When it was last heard of, to the day; epoch ms. */
  seenAt: number;
}

export interface Entry {
  /** A token that lets one browser in, once. */
  mint(): string;
  /** Trades a token for the value of a Set-Cookie header; null when it is not (or no longer) good. */
  trade(token: string): string | null;
  /** Was the sender of this Cookie header let in? */
  knows(cookies: string | undefined): boolean;
}

/** How the sessions outlive a host, so that an open panel finds its way back to the next one. */
export interface EntryMemory {
  now(): number;
  /** Those of earlier hosts on this very port. */
  sessions: readonly Session[];
  save(sessions: readonly Session[]): void;
}

/**
 * Who may see the panel: whoever brings a one-time token of a link that Lull gave to its owner. Only
 * digests are kept. Cookies of one machine are shared by all its ports, so the name carries ours.
 */
export function panelEntry(port: number, memory: EntryMemory): Entry {
  const links = new Map<string, null>();
  const sessions = new Map(memory.sessions.map(({ digest, seenAt }) => [digest, seenAt]));
  const name = `lull_${port}`;

  function heardOf(digest: string): void {
    sessions.delete(digest); // put to the end: the first is the one not heard of for longest
    keepNewest(sessions, digest, memory.now(), MOST_SESSIONS);
    memory.save([...sessions].map(([digest, seenAt]) => ({ digest, seenAt })));
  }

  function isKnown(session: string): boolean {
    const digest = sha256(session);
    const seenAt = sessions.get(digest);
    if (seenAt === undefined) return false;
    const silence = memory.now() - seenAt;
    if (silence > FORGOTTEN_MS) return false;
    if (silence > DAY_MS) heardOf(digest);
    return true;
  }

  return {
    mint() {
      const token = randomToken();
      keepNewest(links, sha256(token), null, MOST_LINKS);
      return token;
    },
    trade(token) {
      if (!links.delete(sha256(token))) return null;
      const session = randomToken();
      heardOf(sha256(session));
      return `${name}=${session}; HttpOnly; SameSite=Strict; Path=/`;
    },
    knows(cookies = '') {
      const own = cookies
        .split(';')
        .map((cookie) => cookie.trim())
        .filter((cookie) => cookie.startsWith(`${name}=`))
        .map((cookie) => cookie.slice(name.length + 1));
      return own.some(isKnown);
    },
  };
}

function keepNewest<T>(map: Map<string, T>, key: string, value: T, most: number): void {
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= most) break;
    map.delete(oldest);
  }
}
