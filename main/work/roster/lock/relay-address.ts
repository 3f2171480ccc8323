import { LockFault } from './fault.ts';

/**
 * The addresses of relays in one spelling, each once. Throws LockFault malformed_relay_url_config naming
 * the first that is none: to go on without it would weaken the lock unseen.
 */
export function relayAddresses(written: readonly string[], key: string): string[] {
  const addresses = new Set<string>();
  for (const text of written) {
    const address = addressOf(text.trim());
    if (address === null) {
      throw new LockFault(
        'malformed_relay_url_config',
        `${key}: "${text}" is not the address of a relay - write it as wss://relay.example.org`,
      );
    }
    addresses.add(address);
  }
  return [...addresses];
}

function addressOf(text: string): string | null {
  if (!/^wss?:\/\/[^\s/?#]+/i.test(text)) return null;
  const url = URL.parse(text);
  if (!url?.hostname || url.username || url.password) return null;
  url.hash = '';
  return url.pathname === '/' && !url.search ? url.href.replace(/\/$/, '') : url.href;
}
