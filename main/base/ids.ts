import { createHash, randomBytes } from 'node:crypto';
import { configure } from 'safe-stable-stringify';

const stringify = configure({ deterministic: true, strict: true });

/** Compact JSON with sorted keys: two equal values have one text. Throws on what JSON cannot hold. */
export function canonicalJson(value: unknown): string {
  const text = stringify(value);
  if (text === undefined) throw new TypeError('value cannot be written as JSON');
  return text;
}

/** SHA-256 of the text or bytes, lower-case hexadecimal. */
export function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/** An unguessable token: `bytes` random bytes in URL-safe base64. */
export function randomToken(bytes = 24): string {
  return randomBytes(bytes).toString('base64url');
}
