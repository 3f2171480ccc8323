/**
 * What an export holds: every table of what the owner made, in an order in which each row comes after
 * those it names. A row is written as it is stored. A test compares both lists with the database, so a
 * new table is either here or among those left out, with the reason.
 */
export const EXPORTED: ReadonlyArray<{ table: string; order: string; json: readonly string[] }> = [
  { table: 'products', order: 'sku', json: [] },
  { table: 'stock_events', order: 'id', json: ['payload'] },
  { table: 'schedules', order: 'id', json: ['rule', 'missed'] },
  { table: 'schedule_revisions', order: 'schedule, revision', json: ['body'] },
  { table: 'stock_conditions', order: 'id', json: [] },
  { table: 'jobs', order: 'id', json: ['payload', 'waiver'] },
  { table: 'events', order: 'id', json: ['payload'] },
  { table: 'drafts', order: 'id', json: ['body'] },
  { table: 'snoozes', order: 'draft', json: [] },
  { table: 'transcripts', order: 'job, claim_no', json: ['messages', 'usage'] },
  { table: 'session_results', order: 'id', json: [] },
  { table: 'notices', order: 'id', json: [] },
  { table: 'pauses', order: 'scope', json: [] },
  { table: 'intervals', order: 'id', json: [] },
  { table: 'stints', order: 'job, claim_no', json: [] },
];

export const LEFT_OUT: Readonly<Record<string, string>> = {
  runs: 'the lives of hosts over this one file',
  vitals: 'figures of those hosts',
  model_memory: 'learned from the model servers of this machine',
  cycle_runs: 'names working trees and branches on this machine',
  model_loads: 'says which models on the servers of this machine are ours',
  presence_word: 'holds for now, and here',
};

/** The form an export has. It changes when a reader of the old form could not read the new one. */
export const EXPORT_FORMAT = 1;

/**
 * A row as it leaves: what lasts here does not last there. A job that runs is waiting in the copy, with
 * its attempt given back; an interval that lasts ends where it was last seen.
 */
export function asWritten(table: string, row: Record<string, unknown>): Record<string, unknown> {
  if (table === 'jobs' && row.state === 'running') {
    const idle = { started_at: null, claimed_by_run: null, lease_expires_at: null };
    const attempts = Math.max(0, Number(row.attempts) - 1);
    return { ...row, ...idle, state: 'queued', cancel_asked_at: null, attempts };
  }
  if (table === 'intervals' && row.ended === null) return { ...row, ended: 'stop' };
  return row;
}
