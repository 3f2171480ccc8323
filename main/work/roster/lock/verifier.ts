import type { NostrEvent } from 'nostr-tools/core';
import { getEventHash, verifyEvent } from 'nostr-tools/pure';

export type Verify = (event: NostrEvent) => boolean;

/**
 * Checks signatures, each once: what one relay gave with a signature that holds, others give too. A copy is
 * still hashed, since its identity may be borrowed.
 */
export function verifier(): Verify {
  const sound = new Set<string>();
  return (event) => {
    const key = `${event.id} ${event.sig} ${event.pubkey}`;
    if (sound.has(key)) return getEventHash(event) === event.id;
    if (!verifyEvent(event)) return false;
    sound.add(key);
    return true;
  };
}
