import { z } from 'zod';

/** What a secret is called, in the settings and on the command line. */
export const secretName = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
    'must be letters, digits, dots, dashes and underscores, 64 at most, such as lab-key',
  );
