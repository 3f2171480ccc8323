import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';

/**
 * Reads what a host left behind and says what is wrong with it. It shares no code with the host: it
 * knows the files only as documented, and opens them after the host has ended.
 */

/** What was asked for, as the one who asked remembers it. */
export interface Asked {
  /** Source identities of which exactly one job each must exist. */
  sources: readonly string[];
  /** Prefixes under which at least one job must exist, for example `job:morning@1:`. */
  prefixes: readonly string[];
}

interface JobRow {
  id: number;
  kind: string;
  state: string;
  source: string | null;
  error: string | null;
  retry_of: number | null;
}

interface DraftRow {
  id: number;
  job: number;
  kind: string;
  state: string;
  body: string;
}

export function check(home: string, asked: Asked): string[] {
  const faults: string[] = [];
  const db = new Database(join(home, 'lull.sqlite'), { readonly: true });
  try {
    const sound = db.pragma('integrity_check', { simple: true });
    if (sound !== 'ok') faults.push(`the database is damaged: ${sound}`);
    const jobs = db
      .prepare('SELECT id, kind, state, source, error, retry_of FROM jobs')
      .all() as JobRow[];
    const drafts = db.prepare('SELECT id, job, kind, state, body FROM drafts').all() as DraftRow[];
    faults.push(...nothingLost(jobs, drafts, asked));
    faults.push(...nothingTwice(db, jobs, drafts));
    faults.push(...draftsAndJobsAgree(jobs, drafts));
    faults.push(...ordersOnce(home, drafts));
    faults.push(...nothingRefused(home));
  } finally {
    db.close();
  }
  return faults;
}

/** Not lost: done, or failed with the report of the unclean exit; the owner can see each one. */
function nothingLost(jobs: JobRow[], drafts: DraftRow[], asked: Asked): string[] {
  const faults: string[] = [];
  for (const source of asked.sources) {
    const found = jobs.filter((job) => job.source === source);
    if (found.length !== 1) faults.push(`${source}: ${found.length} jobs instead of one`);
  }
  for (const prefix of asked.prefixes) {
    if (!jobs.some((job) => job.source?.startsWith(prefix))) faults.push(`${prefix}…: no job`);
  }
  for (const job of jobs) {
    if (job.state === 'done') continue;
    if (job.state !== 'failed') {
      faults.push(`job ${job.id} is ${job.state} although everything could run`);
      continue;
    }
    const reported = drafts.some((draft) => draft.job === job.id && draft.kind === 'report');
    if (
      !job.error?.startsWith('orphaned by unclean exit of run #') &&
      !job.error?.includes('unclean exits')
    ) {
      faults.push(`job ${job.id} failed: ${job.error}`);
    } else if (!reported) faults.push(`job ${job.id} was orphaned, and no report says so`);
  }
  return faults;
}

/**
 * The database refuses what would be stored twice. A host that keeps its own rules never runs into
 * that, so an error in its log says that a rule was broken, although nothing came of it.
 */
function nothingRefused(home: string): string[] {
  const folder = join(home, 'logs');
  return readdirSync(folder)
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'))
    .filter((line) => line.includes('"level":"error"'))
    .map((line) => `the log tells of an error: ${line}`);
}

function nothingTwice(db: Database.Database, jobs: JobRow[], drafts: DraftRow[]): string[] {
  const faults: string[] = [];
  const completed = db
    .prepare('SELECT job, count(*) AS n FROM transcripts GROUP BY job HAVING n > 1')
    .all() as { job: number; n: number }[];
  for (const row of completed) faults.push(`job ${row.job} has ${row.n} transcripts`);
  const remembered = db
    .prepare('SELECT job, count(*) AS n FROM session_results GROUP BY job HAVING n > 1')
    .all() as { job: number; n: number }[];
  for (const row of remembered) faults.push(`job ${row.job} is remembered ${row.n} times`);
  for (const job of jobs) {
    const mine = drafts.filter((draft) => draft.job === job.id && draft.kind !== 'report');
    if (mine.length > 1) faults.push(`job ${job.id} has ${mine.length} drafts`);
  }
  const sources = new Set<string>();
  for (const { source } of jobs) {
    if (source !== null && sources.has(source)) faults.push(`${source} was admitted twice`);
    if (source !== null) sources.add(source);
  }
  return faults;
}

function draftsAndJobsAgree(jobs: JobRow[], drafts: DraftRow[]): string[] {
  const faults: string[] = [];
  for (const draft of drafts) {
    const job = jobs.find((one) => one.id === draft.job);
    if (!job) faults.push(`draft ${draft.id} belongs to no job`);
    else if (draft.kind !== 'report' && job.state !== 'done') {
      faults.push(`draft ${draft.id} is of job ${job.id}, which is ${job.state}`);
    }
  }
  for (const job of jobs) {
    if (job.state === 'done' && !drafts.some((draft) => draft.job === job.id)) {
      faults.push(`job ${job.id} is done and left no draft`);
    }
  }
  return faults;
}

function ordersOnce(home: string, drafts: DraftRow[]): string[] {
  const faults: string[] = [];
  const folder = join(home, 'orders');
  const files = existsSync(folder) ? readdirSync(folder) : [];
  const wanted = new Set<string>();
  for (const draft of drafts) {
    if (draft.kind !== 'order' || draft.state !== 'applied') continue;
    for (const ending of ['csv', 'md']) wanted.add(`${draft.id}.${ending}`);
    const csv = join(folder, `${draft.id}.csv`);
    if (!existsSync(csv)) continue;
    const body = JSON.parse(draft.body) as { lines: { sku: string; quantity: number }[] };
    const text = readFileSync(csv, 'utf8');
    for (const line of body.lines) {
      const rows = text.split('\r\n').filter((row) => row.includes(line.sku));
      if (rows.length !== 1)
        faults.push(`order ${draft.id} names ${line.sku} ${rows.length} times`);
      else if (!rows[0]?.includes(String(line.quantity)))
        faults.push(`order ${draft.id}: wrong quantity of ${line.sku}`);
    }
  }
  for (const name of wanted) if (!files.includes(name)) faults.push(`orders/${name} is missing`);
  for (const name of files)
    if (!wanted.has(name)) faults.push(`orders/${name} belongs to no applied draft`);
  return faults;
}
