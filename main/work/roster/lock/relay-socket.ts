import { AbstractRelay } from 'nostr-tools/abstract-relay';
import { type NostrEvent, validateEvent } from 'nostr-tools/core';
import type { Verify } from './verifier.ts';

/** Longer messages than any lock are not looked into. */
const LONGEST_MESSAGE = 262_144;

/** What a relay says to a publication. */
export interface Word {
  accepted: boolean;
  reason: string;
}

/**
 * A connection to one relay: nostr-tools' own, which checks every signature, made safe against what
 * untrusted relays send. Messages that are none are dropped, where it would write them to the console;
 * answers to publications are awaited here, since its own time limits are timers beside the clock.
 */
export class RelaySocket extends AbstractRelay {
  readonly #awaited = new Map<string, (word: Word | null) => void>();

  constructor(url: string, verify: Verify) {
    super(url, { verifyEvent: verify, websocketImplementation: WebSocket });
    this.onnotice = () => {};
    this.onclose = () => this.#dropAll();
  }

  /** Sends an event; the relay's word, or null when the connection ends before it. */
  tell(event: NostrEvent): Promise<Word | null> {
    return new Promise((resolve) => {
      this.#awaited.set(event.id, resolve);
      this.send(JSON.stringify(['EVENT', event])).catch(() => this.#answer(event.id, null));
    });
  }

  override _onmessage(message: MessageEvent<unknown>): void {
    const said = readMessage(message.data);
    if (!said) return;
    if (said[0] === 'OK') {
      this.#answer(said[1], { accepted: said[2] === true, reason: String(said[3] ?? '') });
    } else {
      super._onmessage(message);
    }
  }

  #answer(id: unknown, word: Word | null): void {
    if (typeof id !== 'string') return;
    this.#awaited.get(id)?.(word);
    this.#awaited.delete(id);
  }

  #dropAll(): void {
    for (const id of [...this.#awaited.keys()]) this.#answer(id, null);
  }
}

/** The message where it is one that a relay may send to us. */
function readMessage(data: unknown): unknown[] | null {
  if (typeof data !== 'string' || data.length > LONGEST_MESSAGE) return null;
  try {
    const said: unknown = JSON.parse(data);
    if (!Array.isArray(said)) return null;
    switch (said[0]) {
      case 'EVENT':
        return typeof said[1] === 'string' && isWhole(said[2]) ? said : null;
      case 'OK':
      case 'EOSE':
      case 'CLOSED':
        return said;
      default:
        return null;
    }
  } catch {
    return null;
  }
}

function isWhole(event: unknown): boolean {
  if (!validateEvent(event)) return false;
  const { id, sig, created_at } = event as unknown as NostrEvent;
  return typeof id === 'string' && typeof sig === 'string' && Number.isSafeInteger(created_at);
}
