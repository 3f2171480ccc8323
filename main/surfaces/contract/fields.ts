import { z } from 'zod';

/** What fields of the contract are made of. Times are epoch milliseconds UTC, money is integer cents. */

export const id = z.int().min(1);
export const at = z.int();
export const identity = z
  .string()
  .trim()
  .min(1, 'must not be empty')
  .max(100, 'must be 100 characters or fewer');
export const prompt = z
  .string()
  .refine((text) => text.trim().length > 0, 'must not be empty')
  .refine(
    (text) => new TextEncoder().encode(text).length <= 16_384,
    'must be 16,384 bytes or fewer',
  );
export const instant = z.int().min(0).max(8_640_000_000_000_000);
export const limit = z.int().min(1).max(500).default(50);
/** `local`, or `telegram:ACCOUNT:ID`. */
export const destination = z
  .string()
  .regex(/^(local|telegram:[A-Za-z0-9_-]+:[1-9]\d{0,19})$/, 'must be local or telegram:ACCOUNT:ID')
  .default('local');

export const admitted = z.object({
  job: id,
  outcome: z.enum(['admitted', 'duplicate', 'coalesced']),
});

/** Whether a command only reads (and so needs no writer), what it takes, what it gives. */
export function command<I extends z.ZodType, O extends z.ZodType>(
  reads: boolean,
  input: I,
  output: O,
) {
  return { reads, input, output };
}
