import type { Tier } from '../config-schema.ts';
import type { JobState } from './job-states.ts';

/** A row as stored; times are epoch milliseconds, null means "not". */
export interface JobRow {
  id: number;
  kind: string;
  tier: Tier;
  num_ctx: number;
  class: 'light' | 'heavy' | 'housekeeping';
  priority: number;
  state: JobState;
  created_at: number;
  source: string | null;
  session: string | null;
  subject: string | null;
  channel: string;
  recipient: string;
  retry_of: number | null;
  coalesce_key: string | null;
  coalesced: number;
  attempts: number;
  max_attempts: number;
  unclean_exits: number;
  not_before: number | null;
  expires_at: number | null;
  revive_at: number | null;
  started_at: number | null;
  finished_at: number | null;
  claim_no: number;
  claimed_by_run: number | null;
  lease_expires_at: number | null;
  cancel_asked_at: number | null;
  reason_code: string | null;
  reason: string | null;
  waiver: string | null;
  title: string;
  payload: string;
  checkpoint: string | null;
  result: string | null;
  error: string | null;
}

/** What a new row says; everything else starts at its default. */
export type NewJobRow = Pick<
  JobRow,
  | 'kind'
  | 'tier'
  | 'num_ctx'
  | 'class'
  | 'priority'
  | 'created_at'
  | 'source'
  | 'session'
  | 'subject'
  | 'channel'
  | 'recipient'
  | 'retry_of'
  | 'coalesce_key'
  | 'max_attempts'
  | 'not_before'
  | 'expires_at'
  | 'revive_at'
  | 'title'
  | 'payload'
> & { state: 'queued' | 'deferred' };
