import type { NostrEvent } from 'nostr-tools/core';
import type { Filter } from 'nostr-tools/filter';
import type { Clock } from '../../../base/clock.ts';
import type { RelayFault } from './fault.ts';
import { RelaySocket } from './relay-socket.ts';
import type { Verify } from './verifier.ts';

/** More than this from one relay in one answer is a flood. */
const MOST_EVENTS = 5000;

export interface Answer {
  /** With a signature that holds, each once. Present even where the relay then failed. */
  events: NostrEvent[];
  /** Events that were refused: a signature that does not hold, or not what was asked for. */
  refused: number;
  ms: number;
  fault: RelayFault | null;
}

export interface Receipt {
  ms: number;
  fault: RelayFault | null;
}

/** One relay: asked and told within time limits, reconnected when needed. Never rejects. */
export interface RelayLink {
  readonly url: string;
  query(filters: Filter[], limitMs: number): Promise<Answer>;
  publish(event: NostrEvent, limitMs: number): Promise<Receipt>;
  /** Connects where that is still to be done. */
  open(limitMs: number): Promise<Receipt>;
  close(): void;
}

export function relayLink(url: string, clock: Clock, verify: Verify): RelayLink {
  let socket: RelaySocket | null = null;
  let connecting: Promise<RelayFault | null> | null = null;
  const pending = new Set<() => void>();

  const fault = (kind: RelayFault['kind'], message: string, transient = true): RelayFault => ({
    relay: url,
    kind,
    message,
    transient,
  });

  /** Null when it is open; what went wrong otherwise. Several askers share one attempt. */
  function connect(): Promise<RelayFault | null> {
    if (socket?.connected) return Promise.resolve(null);
    if (connecting) return connecting;
    const mine = attempt().finally(() => {
      if (connecting === mine) connecting = null;
    });
    connecting = mine;
    return mine;
  }

  async function attempt(): Promise<RelayFault | null> {
    const next = new RelaySocket(url, verify);
    socket = next;
    try {
      await next.connect();
      return null;
    } catch (error) {
      return fault('connection', `no connection: ${wordsOf(error)}`);
    }
  }

  /** Runs `work` once connected; gives up, and drops the connection, when the time is over. */
  function within(
    limitMs: number,
    work: (open: RelaySocket) => Promise<RelayFault | null>,
  ): Promise<{ ms: number; fault: RelayFault | null }> {
    const start = clock.monotonic();
    return new Promise((resolve) => {
      const end = (failed: RelayFault | null) => {
        cancel();
        pending.delete(drop);
        resolve({ ms: clock.monotonic() - start, fault: failed });
      };
      const drop = () => end(fault('dropped', 'the connection ended'));
      pending.add(drop);
      const cancel = clock.timer(limitMs, () => {
        const missing = socket?.connected ? 'answer' : 'connection';
        end(fault('timeout', `no ${missing} in ${limitMs} ms`));
        close();
      });
      connect()
        .then((failed) => {
          if (failed) return failed;
          // A message to a closed connection would be a rejection that nobody hears.
          return socket?.connected ? work(socket) : fault('dropped', 'the connection ended');
        })
        .then(end, (error) => end(fault('dropped', wordsOf(error))));
    });
  }

  function close(): void {
    socket?.close();
    socket = null;
    connecting = null;
    for (const drop of [...pending]) drop(); // a connection that is still being made would never tell
  }

  return {
    url,
    close,

    open: (limitMs) => within(limitMs, async () => null),

    async query(filters, limitMs) {
      const found = new Map<string, NostrEvent>();
      let refused = 0;
      const ended = await within(
        limitMs,
        (open) =>
          new Promise((resolve) => {
            const flood = () => end(fault('refused', 'it sends without end', false));
            const subscription = open.subscribe(filters, {
              eoseTimeout: 2 ** 31 - 1, // ours is the limit; `end` takes this timer back
              onevent(event) {
                found.set(event.id, event);
                if (found.size > MOST_EVENTS) flood();
              },
              oninvalidevent() {
                refused++;
                if (refused > MOST_EVENTS) flood();
              },
              oneose: () => end(null),
              onclose: (reason) =>
                end(
                  open.connected
                    ? fault('refused', `it ended the query: ${clean(reason)}`)
                    : fault('dropped', 'the connection ended'),
                ),
            });
            let over = false;
            function end(failed: RelayFault | null): void {
              if (over) return;
              over = true;
              resolve(failed);
              subscription.receivedEose();
              subscription.close();
            }
          }),
      );
      return { events: [...found.values()], refused, ...ended };
    },

    publish: (event, limitMs) =>
      within(limitMs, async (open) => {
        const word = await open.tell(event);
        if (word === null) return fault('dropped', 'the connection ended');
        if (word.accepted || word.reason.startsWith('duplicate:')) return null;
        return fault('refused', clean(word.reason) || 'refused', isTransient(word.reason));
      }),
  };
}

/** A refusal by rate or by a fault of the relay may pass; one of the event itself will not. */
function isTransient(reason: string): boolean {
  return /^(rate-limited|error)\b/.test(reason) || reason === '';
}

function wordsOf(error: unknown): string {
  return clean(error instanceof Error ? error.message : String(error));
}

/** Words of a relay, on one line and short. */
function clean(words: unknown): string {
  return String(words).replace(/\s+/g, ' ').slice(0, 200);
}
