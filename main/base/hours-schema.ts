import { z } from 'zod';
import { isZone, nearestZone } from './zone.ts';

/** Days of the week, in the order of `Date.getUTCDay`. */
export const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;
export type Day = (typeof DAYS)[number];

const TIME = /^([01]\d|2[0-3]):[0-5]\d$/;
const from = z.string().regex(TIME, 'must be a time of day such as 22:00');
const to = z
  .string()
  .refine((text) => TIME.test(text) || text === '24:00', 'must be a time of day such as 07:00');

const zone = z.string().superRefine((name, context) => {
  if (isZone(name)) return;
  const near = nearestZone(name);
  const hint = near ? `; did you mean ${near}?` : ' such as Europe/Berlin';
  context.addIssue({ code: 'custom', message: `must be a time zone${hint}` });
});

const span = {
  from,
  /** An earlier time than `from` is one of the next day. */
  to,
  /** IANA; the machine's own where it is not given. */
  zone: zone.optional(),
};

function isSpan({ from, to }: { from: string; to: string }): boolean {
  return from !== to;
}
const EMPTY = { message: 'from and to are the same; a whole day is 00:00 to 24:00' };

/** Hours of some days of the week, each beginning on that day. */
export const weeklyHours = z
  .strictObject({
    days: z
      .array(z.enum(DAYS))
      .min(1)
      .max(7)
      .default([...DAYS]),
    ...span,
  })
  .refine(isSpan, EMPTY);
export type WeeklyHours = z.infer<typeof weeklyHours>;

/** The same hours of every day. */
export const dailyHours = z.strictObject(span).refine(isSpan, EMPTY);
export type DailyHours = z.infer<typeof dailyHours>;
