import type { NostrEvent } from 'nostr-tools/core';
import type { Filter } from 'nostr-tools/filter';
import { type Clock, sleep } from '../../../base/clock.ts';
import type { RosterStore } from '../../../base/store/roster-lock.ts';
import { categoryOf, LockFault, type RelayFault } from './fault.ts';
import { answersNeeded } from './quorum.ts';
import {
  healthFrom,
  isQuarantined,
  type Outcome,
  type RelayHealth,
  scoreOf,
  withOutcome,
} from './relay-health.ts';
import { type RelayLink, relayLink } from './relay-link.ts';
import { PUBLISH_ATTEMPTS, pauseAfter } from './retry.ts';
import { verifier } from './verifier.ts';

export interface PoolSettings {
  relays: readonly string[];
  fallbacks: readonly string[];
  queryTimeoutMs: number;
  publishTimeoutMs: number;
  /** Relays that must have a claim. */
  copies: number;
  /** Relays that are used even if quarantine would leave fewer. */
  leastActive: number;
}

export interface Look {
  /** Every event that any relay gave, each once. */
  events: NostrEvent[];
  /** What each relay that answered gave, by identity. */
  byRelay: Map<string, ReadonlySet<string>>;
  refused: number;
  faults: RelayFault[];
}

export interface Announcement {
  /** Relays that said they keep it, till now; later ones are added while `rest` goes on. */
  accepted: Set<string>;
  /** Resolves when the others have answered too, or given up. */
  rest: Promise<void>;
}

export interface RelayPool {
  readonly links: readonly RelayLink[];
  /** Asks all at once. Throws LockFault when too few answer. */
  look(filters: Filter[]): Promise<Look>;
  /**
   * Tells all at once, the fallbacks where too few accept, and again after a pause while every failure
   * may pass. Returns as soon as enough have it. Throws LockFault when too few do.
   */
  announce(event: NostrEvent): Promise<Announcement>;
  /** Tells relays once, as far as they listen. */
  mention(event: NostrEvent, urls: Iterable<string>): Promise<void>;
  /** A relay said that it keeps an event, and does not. */
  distrust(url: string): void;
  health(url: string): { score: number; quarantined: boolean };
  close(): void;
}

export function relayPool(settings: PoolSettings, clock: Clock, store: RosterStore): RelayPool {
  const verify = verifier();
  const main = settings.relays.map((url) => relayLink(url, clock, verify));
  const spare = settings.fallbacks
    .filter((url) => !settings.relays.includes(url))
    .map((url) => relayLink(url, clock, verify));
  const all = [...main, ...spare];
  const needed = answersNeeded(all.length, settings.copies, settings.leastActive);
  let closed = false;

  /** What was seen in this operation; kept at its end, for each transaction waits for the disk. */
  const outcomes: { url: string; outcome: Outcome; at: number }[] = [];

  function healthOf(url: string): RelayHealth {
    return outcomes
      .filter((one) => one.url === url)
      .reduce(
        (health, { outcome, at }) => withOutcome(health, outcome, at),
        healthFrom(store.relays.health(url)),
      );
  }

  function note(url: string, outcome: Outcome): void {
    if (!closed) outcomes.push({ url, outcome, at: clock.now() });
    // once closed: what was given up at the end says nothing about the relay
  }

  function keepOutcomes(): void {
    const urls = new Set(outcomes.map(({ url }) => url));
    if (urls.size === 0) return;
    store.tx(() => {
      for (const url of urls) store.relays.setHealth(url, JSON.stringify(healthOf(url)));
    });
  }

  function noteEnd(url: string, ms: number, fault: RelayFault | null): void {
    if (!fault) note(url, Math.round(ms));
    else if (fault.kind !== 'refused') note(url, fault.kind === 'timeout' ? 'timeout' : 'failure');
  }

  /** Those not in quarantine, and the best of the others while they are too few. */
  function active(links: readonly RelayLink[], least: number): RelayLink[] {
    const now = clock.now();
    const rated = links.map((link) => {
      const health = healthOf(link.url);
      return { link, out: isQuarantined(health, now), score: scoreOf(health, now) };
    });
    const outside = rated.filter(({ out }) => out).sort((a, b) => b.score - a.score);
    const missing = Math.max(0, least - (rated.length - outside.length));
    const back = new Set(outside.slice(0, missing).map(({ link }) => link));
    return rated.filter(({ link, out }) => !out || back.has(link)).map(({ link }) => link);
  }

  /** Tells relays at once; `enough` is called as soon as so many have it. */
  async function tell(
    event: NostrEvent,
    links: readonly RelayLink[],
    accepted: Set<string>,
    enough: () => void,
  ): Promise<RelayFault[]> {
    const receipts = await Promise.all(
      links.map(async (link) => {
        const { ms, fault } = await link.publish(event, settings.publishTimeoutMs);
        noteEnd(link.url, ms, fault);
        if (!fault) accepted.add(link.url);
        if (accepted.size >= settings.copies) enough();
        return fault;
      }),
    );
    return receipts.filter((fault) => fault !== null);
  }

  async function attempts(
    event: NostrEvent,
    accepted: Set<string>,
    enough: () => void,
  ): Promise<RelayFault[]> {
    for (let attempt = 1; ; attempt++) {
      const untold = (links: RelayLink[]) => links.filter(({ url }) => !accepted.has(url));
      const faults = await tell(event, untold(active(main, needed)), accepted, enough);
      if (accepted.size < settings.copies && spare.length > 0) {
        faults.push(...(await tell(event, untold(active(spare, 1)), accepted, enough)));
      }
      if (accepted.size >= settings.copies) return [];
      const passing = faults.length > 0 && faults.every((fault) => fault.transient);
      if (attempt === PUBLISH_ATTEMPTS || !passing || closed) return faults;
      await sleep(clock, pauseAfter(attempt, clock.random()));
    }
  }

  return {
    links: all,

    async look(filters) {
      const answers = await Promise.all(
        active(all, needed).map(async (link) => {
          const answer = await link.query(filters, settings.queryTimeoutMs);
          noteEnd(link.url, answer.ms, answer.fault);
          return { url: link.url, ...answer };
        }),
      );
      const answered = answers.filter(({ fault }) => !fault);
      const faults = answers.flatMap(({ fault }) => fault ?? []);
      if (answered.length < needed) {
        throw new LockFault(
          categoryOf('query', faults),
          `${answered.length} of ${all.length} relays answered, ${needed} must`,
          faults,
        );
      }
      const events = new Map(answers.flatMap(({ events }) => events.map((one) => [one.id, one])));
      return {
        events: [...events.values()],
        byRelay: new Map(
          answered.map(({ url, events }) => [url, new Set(events.map(({ id }) => id))]),
        ),
        refused: answers.reduce((sum, { refused }) => sum + refused, 0),
        faults,
      };
    },

    announce(event) {
      const accepted = new Set<string>();
      return new Promise((resolve, reject) => {
        const rest = attempts(event, accepted, () =>
          resolve({ accepted, rest: rest.then(() => {}) }),
        );
        rest.then((faults) => {
          if (accepted.size >= settings.copies) return;
          reject(
            new LockFault(
              categoryOf('publish', faults),
              `${accepted.size} of ${all.length} relays took the event, ${settings.copies} must`,
              faults,
            ),
          );
        }, reject);
      });
    },

    async mention(event, urls) {
      const wanted = new Set(urls);
      await Promise.all(
        all
          .filter(({ url }) => wanted.has(url))
          .map((link) => link.publish(event, settings.publishTimeoutMs)),
      );
    },

    distrust: (url) => note(url, 'failure'),

    health(url) {
      const health = healthOf(url);
      const now = clock.now();
      return { score: scoreOf(health, now), quarantined: isQuarantined(health, now) };
    },

    close() {
      closed = true;
      for (const link of all) link.close();
      keepOutcomes();
    },
  };
}
