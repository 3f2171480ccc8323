import type { Tier } from '../../base/config-schema.ts';
import type { Failure } from '../../base/errors.ts';
import type { Route } from '../queue/job.ts';

/** A piece of work that a producer, or the owner through one, asks admission for. */
export interface WorkRequest {
  /** Identity of what asks: the same again is the same work. */
  source: string;
  /** Work of one session runs one after another and shares a memory; null stands alone. */
  session: string | null;
  /** One line for people. */
  title: string;
  prompt: string;
  /** Files the work may read, absolute. */
  files: readonly string[];
  /** Immutable scope, a SKU; null for none. */
  subject: string | null;
  /** Null: the router decides. */
  tier: Tier | null;
  route: Route;
  /** Earliest start and latest start, epoch ms; null for none. */
  notBefore: number | null;
  expiresAt: number | null;
}

/**
 * Decides on a request inside the caller's transaction, so that what it stores commits with the
 * producer's own state. Refused and conflict store nothing.
 */
export type Admit = (request: WorkRequest) => Decision;

export type Decision =
  | { outcome: 'admitted' | 'duplicate'; job: { id: number; tier: Tier } }
  /** The source is taken by other work. */
  | { outcome: 'conflict'; job: { id: number } }
  /** The queue is full; in the words for whoever asked. */
  | { outcome: 'refused'; failure: Failure };

/** The first line of a text, shortened to be a title. */
export function titleOf(text: string): string {
  const line = text.trim().split(/\r?\n/, 1)[0]?.replace(/\s+/g, ' ') ?? '';
  const characters = [...line];
  return characters.length <= TITLE_LENGTH
    ? line
    : `${characters
        .slice(0, TITLE_LENGTH - 1)
        .join('')
        .trimEnd()}…`;
}

const TITLE_LENGTH = 80;
