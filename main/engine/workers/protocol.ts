import { z } from 'zod';
import { ERROR_CODES } from '../../base/errors.ts';
import { chatMessage } from '../models/chat-shape.ts';
import { MODEL_FAULTS } from '../models/server.ts';
import type { Job } from '../queue/job.ts';
import { type Outcome, YIELD_CAUSES } from '../supervisor/handler.ts';
import { readRequest } from './shelves.ts';

/**
 * What the supervisor and a worker process say to each other: JSON texts, one message each. A worker
 * asks (read, chat, batch) and gets one answer by its number; it tells (progress, and its end) and gets
 * none. Every message of a worker names its job and claim.
 */

/** Bytes of one message of a worker; whoever sends more is ended. */
export const LARGEST_MESSAGE = 8 * 1024 * 1024;
/** Rows of one batch. */
export const LARGEST_BATCH = 1000;

const id = z.int().min(1);
const text = z.string().max(100_000);
const count = z.int().min(0);
const cause = z.enum(YIELD_CAUSES);
const object = z.custom<object>((value) => typeof value === 'object' && value !== null);

const chatRequest = z.strictObject({
  messages: z.array(chatMessage).max(10_000),
  tools: z
    .array(
      z.strictObject({
        name: z.string().max(200),
        description: text,
        parameters: object,
      }),
    )
    .max(200),
  maxOutputTokens: z.int(),
});

const landing = z.strictObject({
  result: text,
  transcript: z
    .strictObject({
      status: z.string().max(100),
      model: z.string().max(1000),
      messages: z.array(z.unknown()),
      usage: z.strictObject({
        promptTokens: count,
        outputTokens: count,
        turns: count,
        millis: count,
      }),
    })
    .exactOptional(),
  draft: z
    .strictObject({
      ordinal: count.exactOptional(),
      kind: z.enum(['order', 'text', 'report']),
      title: text,
      subject: text.nullable(),
      topic: text.nullable(),
      body: z.unknown(),
      totalCents: count.nullable(),
      currency: z
        .string()
        .regex(/^[A-Z]{3}$/)
        .nullable(),
      model: text.nullable(),
    })
    .exactOptional(),
  remember: z.strictObject({ prompt: z.string(), result: z.string() }).exactOptional(),
});

const outcome: z.ZodType<Outcome> = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('done'), landing }),
  z.strictObject({ kind: z.literal('failed'), error: text, landing: landing.exactOptional() }),
  z.strictObject({
    kind: z.literal('retry'),
    error: text,
    afterMs: z.number().min(0).max(86_400_000),
  }),
  z.strictObject({
    kind: z.literal('deferred'),
    code: z.string().max(100),
    reason: text,
    reviveAt: z.int().nullable(),
  }),
  z.strictObject({ kind: z.literal('yielded'), cause }),
]);

const claimed = { job: z.int(), claim: z.int() };

/** From a worker. */
export const workerMessage = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('read'), ...claimed, id, request: readRequest }),
  z.strictObject({ type: z.literal('chat'), ...claimed, id, request: chatRequest }),
  z.strictObject({
    type: z.literal('batch'),
    ...claimed,
    id,
    token: z.unknown(),
    rows: z.array(z.unknown()).max(LARGEST_BATCH),
  }),
  z.strictObject({
    type: z.literal('progress'),
    ...claimed,
    progress: z.strictObject({
      done: z.number().min(0),
      total: z.number().min(0).nullable(),
      unit: z.string().max(100),
    }),
  }),
  z.strictObject({ type: z.literal('ended'), ...claimed, outcome }),
  z.strictObject({
    type: z.literal('threw'),
    ...claimed,
    code: z.enum(ERROR_CODES).nullable(),
    message: text,
  }),
]);
export type WorkerMessage = z.infer<typeof workerMessage>;
/** The same without what each of them carries. */
export type Said<M = WorkerMessage> = M extends WorkerMessage ? Omit<M, 'job' | 'claim'> : never;

/** From the supervisor. What it says of a job is its own, and taken as it is. */
export const hostMessage = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('start'),
    job: object as z.ZodType<Job>,
    model: z.strictObject({ label: z.string(), model: z.string(), numCtx: z.number() }),
    /** The data folder: what is in it is given to no job. */
    home: z.string(),
    /** `host:port` of the configured model servers: beside the loopback all that may be reached. */
    servers: z.array(z.string()),
  }),
  /** Of a read its value, of a call its turn, of a batch the cause to yield for now, or null. */
  z.strictObject({
    type: z.literal('answer'),
    id,
    value: z.unknown(),
    error: z
      .strictObject({ fault: z.enum(MODEL_FAULTS).nullable(), message: z.string() })
      .nullable(),
  }),
  /** A piece of the model's text, while the call of that number runs. */
  z.strictObject({ type: z.literal('text'), id, text: z.string() }),
  /** Stop now: the model call is cut. */
  z.strictObject({ type: z.literal('abort'), cause }),
  /** Nothing more is read: end. */
  z.strictObject({ type: z.literal('bye') }),
]);
export type HostMessage = z.infer<typeof hostMessage>;
