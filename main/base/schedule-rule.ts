import { z } from 'zod';

const instant = z.int().min(0).max(8_640_000_000_000_000);

/** When something comes round: every so many seconds from a first moment (epoch ms), or by cron. */
export const scheduleRule = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('interval'),
    everySeconds: z.int().min(1).max(3_153_600_000),
    first: instant,
  }),
  z.object({ kind: z.literal('cron'), expression: z.string().max(200), zone: z.string().max(100) }),
]);
