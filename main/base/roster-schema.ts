import { z } from 'zod';
import { scheduleRule } from './schedule-rule.ts';

const name = z.string().trim().min(1).max(100);

/** A repository whose roster Lull goes round, by the owner's consent. */
export const rosterRepository = z.strictObject({
  /** The folder with the roster, absolute. */
  path: z.string().min(1).max(4096),
  /** The owner's consent: when it was given (epoch ms), and to what. Without it nothing runs. */
  consent: z
    .strictObject({ at: z.int().min(0), said: z.string().max(4096) })
    .nullable()
    .default(null),
  /** When a cycle is due, each time for one agent; null: only when it is asked for. */
  cadences: z
    .strictObject({
      daily: scheduleRule.nullable().default(null),
      weekly: scheduleRule.nullable().default(null),
    })
    .prefault({}),
  /** What runs the agent, for example claude; null: what the environment says. */
  platform: name.nullable().default(null),
  model: name.nullable().default(null),
  /** Run by bash in each fresh working tree before the cycle, for example `npm ci`. */
  prepare: z.string().trim().min(1).max(4096).nullable().default(null),
  /** How long an agent may take. */
  timeLimitMinutes: z.int().min(1).max(10_080).default(120),
});
export type RosterRepository = z.infer<typeof rosterRepository>;

/** Rosters of agents that Lull goes round. `relays` are used only while `lock` says so. */
export const rosterSettings = z.strictObject({
  lock: z.enum(['local', 'relays']).default('local'),
  relays: z
    .array(z.url({ protocol: /^wss?$/, error: 'must be an address such as wss://relay.example' }))
    .max(50)
    .default([]),
  repositories: z.array(rosterRepository).max(100).default([]),
});
export type RosterSettings = z.infer<typeof rosterSettings>;
