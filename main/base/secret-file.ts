import { lstatSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { type Failure, failure, ok, type Result } from './errors.ts';
import { replaceFile } from './replace-file.ts';
import { secretName } from './secret-name.ts';

/** A secret as it lies in secrets.json. */
export interface StoredSecret {
  name: string;
  /** The text itself, or what the keychain made of it. */
  value: string;
  /** `keychain`: only the desktop app of this account can open it. */
  seal: 'none' | 'keychain';
  /** Epoch ms. */
  setAt: number;
}

const schema = z.strictObject({
  version: z.literal(1),
  secrets: z.array(
    z.strictObject({
      name: secretName,
      value: z.string(),
      seal: z.enum(['none', 'keychain']),
      setAt: z.int(),
    }),
  ),
});

/**
 * Reads secrets.json; a missing file holds none. Refused as long as anybody else may read it, for then
 * it is no place for a secret. Never throws, and no message holds any of its content.
 */
export function readSecretFile(file: string): Result<StoredSecret[]> {
  try {
    const open = openness(file);
    if (open) return open;
    const parsed = schema.safeParse(JSON.parse(readFileSync(file, 'utf8')));
    if (parsed.success) return ok(parsed.data.secrets);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return ok([]);
    if (code !== undefined) return failure('refused', `secrets.json cannot be read (${code})`);
  }
  return failure(
    'invalid',
    'secrets.json is not what Lull wrote',
    'move it away and set the secrets again with: lull secret set',
  );
}

/** Replaces secrets.json at once, 0600. */
export function writeSecretFile(file: string, secrets: readonly StoredSecret[]): Failure | null {
  return replaceFile(file, `${JSON.stringify({ version: 1, secrets }, null, 2)}\n`);
}

function openness(file: string): Failure | null {
  const stat = lstatSync(file);
  if (!stat.isFile()) return failure('refused', 'secrets.json is not a plain file');
  if (process.getuid === undefined) return null;
  if (stat.uid !== process.getuid()) {
    return failure('refused', 'secrets.json belongs to another user');
  }
  if ((stat.mode & 0o077) === 0) return null;
  const mode = (stat.mode & 0o777).toString(8).padStart(3, '0');
  return failure(
    'refused',
    `secrets.json can be read by others (mode ${mode}), so it is not used`,
    `chmod 600 '${file}', and give out new secrets if somebody may have seen these`,
  );
}
