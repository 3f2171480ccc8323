import { z } from 'zod';
import { secretName } from '../../base/secret-name.ts';
import { at, command } from './fields.ts';

/** Keys and passwords that Lull keeps. They go in and are used; no answer ever holds one. */

const CONTROL = /\p{Cc}/u;

export const secretRow = z.object({
  name: z.string(),
  /** Under the keychain's seal, or readable in a file of the owner's. */
  kept: z.enum(['keychain', 'file']),
  setAt: at,
  /** The model servers that the settings let have it. */
  usedBy: z.array(z.string()),
});

export const secretsCommands = {
  'secrets.list': command(true, z.strictObject({}), z.array(secretRow)),
  'secrets.set': command(
    false,
    z.strictObject({
      name: secretName,
      value: z
        .string()
        .min(8)
        .max(8192)
        .refine((text) => !CONTROL.test(text), 'must be one line without control characters'),
    }),
    secretRow,
  ),
  'secrets.remove': command(false, z.strictObject({ name: secretName }), secretRow),
} as const;
