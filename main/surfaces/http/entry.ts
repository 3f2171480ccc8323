import { randomToken, sha256 } from '../../base/ids.ts';

/** Links that wait to be opened, and browsers that were let in: the oldest go first. */
const MOST_LINKS = 16;
const MOST_SESSIONS = 64;

export interface Entry {
  /** A token that lets one browser in, once. */
  mint(): string;
  /** Trades a token for the value of a Set-Cookie header; null when it is not (or no longer) good. */
  trade(token: string): string | null;
  /** Was the sender of this Cookie header let in? */
  knows(cookies: string | undefined): boolean;
}

/**
 * Who may see the panel: whoever brings a one-time token of a link that Lull gave to its owner. Only
 * digests are kept. Cookies of one machine are shared by all its ports, so the name carries ours.
 */
export function panelEntry(port: number): Entry {
  const links = new Set<string>();
  const sessions = new Set<string>();
  const name = `lull_${port}`;
  return {
    mint() {
      const token = randomToken();
      remember(links, sha256(token), MOST_LINKS);
      return token;
    },
    trade(token) {
      if (!links.delete(sha256(token))) return null;
      const session = randomToken();
      remember(sessions, sha256(session), MOST_SESSIONS);
      return `${name}=${session}; HttpOnly; SameSite=Strict; Path=/`;
    },
    knows(cookies = '') {
      const own = cookies
        .split(';')
        .map((cookie) => cookie.trim())
        .filter((cookie) => cookie.startsWith(`${name}=`))
        .map((cookie) => cookie.slice(name.length + 1));
      return own.some((session) => sessions.has(sha256(session)));
    },
  };
}

function remember(set: Set<string>, value: string, most: number): void {
  set.add(value);
  for (const oldest of set) {
    if (set.size <= most) break;
    set.delete(oldest);
  }
}
