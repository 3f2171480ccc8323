import type { Command } from 'commander';
import type { Clock } from '../../base/clock.ts';
import type { Tier } from '../../base/config-schema.ts';
import type { JobState } from '../../base/store/job-states.ts';
import type { HistoryRow, JobDetail, JobRow, RunNowView } from '../contract.ts';
import type { Act } from './act.ts';
import { readListing } from './listing.ts';
import { formatMoment, formatSpan } from './moment.ts';
import { futureReader, momentReader, readId, readWhole } from './parse.ts';
import { facts, table } from './table.ts';

/** `lull add` and `lull jobs …`. */
export function addJobCommands(program: Command, act: Act, clock: Clock): void {
  act<AddOptions>(
    program
      .command('add')
      .description('ask for one piece of work in the next lull')
      .argument('<text...>', 'what is to be done')
      .option('--tier <tier>', 'the class of model: pinned, routine, synthesis or stretch')
      .option('--not-before <time>', 'not before this time', momentReader(clock))
      .option('--until <time>', 'not after this time', futureReader(clock))
      .option('--files <path...>', 'files it may read'),
    async ({ call, options, path }, words: string[]) => {
      const value = await call('jobs.add', {
        text: words.join(' '),
        ...(options.tier && { tier: options.tier }),
        ...(options.notBefore !== undefined && { notBefore: options.notBefore }),
        ...(options.until !== undefined && { until: options.until }),
        files: (options.files ?? []).map(path),
      });
      return { value, lines: [admitted(value)] };
    },
  );

  const jobs = program.command('jobs').description('what waits, runs and has ended');
  act<{ state?: JobState; before?: number; limit?: number }>(
    jobs
      .command('list')
      .description('jobs, the newest first')
      .option('--state <state>', 'only those in this state')
      .option('--before <id>', 'only those older than this one', readId)
      .option('--limit <number>', 'so many at most', readWhole(1, 1_000_000)),
    async ({ call, options, now, width, json }) => {
      const { rows, more } = await readListing<JobRow>(
        { limit: options.limit, json },
        (last, limit) => {
          const before = last?.id ?? options.before;
          return call('jobs.list', {
            ...(options.state && { state: options.state }),
            ...(before !== undefined && { before }),
            limit,
          });
        },
      );
      const lines = rows.length ? jobTable(rows, now, width) : ['No jobs.'];
      if (more) lines.push('', `More: lull jobs list --before ${rows.at(-1)?.id}`);
      return { value: rows, lines };
    },
  );
  act(
    jobs.command('show').description('one job, whole').argument('<id>', 'its number', readId),
    async ({ call, now }, id: number) => {
      const value = await call('jobs.show', { id });
      return { value, lines: jobLines(value, now) };
    },
  );
  act(
    jobs.command('cancel').description('end a job').argument('<id>', 'its number', readId),
    async ({ call }, id: number) => {
      const value = await call('jobs.cancel', { id });
      const done = value.state === 'cancelled';
      return {
        value,
        lines: [
          done ? `Job ${id} is cancelled.` : `Job ${id} is asked to stop; it is ${value.state}.`,
        ],
      };
    },
  );
  act(
    jobs
      .command('retry')
      .description('do the same work again as a new job')
      .argument('<id>', 'its number', readId),
    async ({ call }, id: number) => {
      const value = await call('jobs.retry', { id });
      return { value, lines: [admitted(value)] };
    },
  );
  act<{ onBattery?: boolean; dryRun?: boolean }>(
    jobs
      .command('run')
      .description('run a waiting job now, by your word, in spite of your presence and hours')
      .argument('<id>', 'its number', readId)
      .option('--on-battery', 'on battery too')
      .option('--dry-run', 'only say what would be waived'),
    async ({ call, options }, id: number) => {
      const value = await call('jobs.runNow', {
        id,
        confirm: options.dryRun !== true,
        ...(options.onBattery && { onBattery: true }),
      });
      return { value, lines: runNowLines(value) };
    },
  );
  act<{ before?: number; limit?: number }>(
    jobs
      .command('history')
      .description('what ran, what it waited for and when it gave way, the newest first')
      .option('--before <id>', 'only those older than this one', readId)
      .option('--limit <number>', 'so many at most', readWhole(1, 1_000_000)),
    async ({ call, options, now, width, json }) => {
      const { rows, more } = await readListing<HistoryRow>(
        { limit: options.limit, json },
        (last, limit) => {
          const before = last?.id ?? options.before;
          return call('jobs.history', { ...(before !== undefined && { before }), limit });
        },
      );
      const lines = rows.length ? historyTable(rows, now, width) : ['Nothing has run yet.'];
      if (more) lines.push('', `More: lull jobs history --before ${rows.at(-1)?.id}`);
      return { value: rows, lines };
    },
  );
}

function runNowLines({ outcome, job, waives, waits, text }: RunNowView): string[] {
  return [
    `${outcome === 'runs' ? `Job ${job} runs by your word.` : `Job ${job} would run by your word.`} ${text}`,
    ...waives.map(({ reason }) => `  waived: ${reason}`),
    ...waits.map(
      ({ reason, onBattery }) =>
        `  waits:  ${reason}${onBattery ? ' (--on-battery waives it)' : ''}`,
    ),
  ];
}

function historyTable(rows: HistoryRow[], now: number, width: number | null): string[] {
  return table<HistoryRow>(
    [
      { head: 'JOB', cell: (row) => row.id, right: true },
      { head: 'STATE', cell: (row) => row.state },
      { head: 'ENDED', cell: (row) => formatMoment(row.finishedAt, now) },
      { head: 'RAN', cell: (row) => (row.ranMs > 0 ? formatSpan(row.ranMs) : null) },
      { head: 'LOADS', cell: (row) => row.loads || null, right: true },
      { head: 'WHAT', cell: (row) => row.title, yields: true },
      { head: 'WAITED BECAUSE', cell: (row) => row.waitedBecause, yields: true },
      { head: 'GAVE WAY', cell: yieldsOf, yields: true },
    ],
    rows,
    width,
  );
}

/** Each cause once, with how often. */
function yieldsOf({ yields }: HistoryRow): string | null {
  const counts = new Map<string, number>();
  for (const { text } of yields) counts.set(text, (counts.get(text) ?? 0) + 1);
  const told = [...counts].map(([text, times]) => (times > 1 ? `${text} (${times} times)` : text));
  return told.join(', ') || null;
}

interface AddOptions {
  tier?: Tier;
  notBefore?: number;
  until?: number;
  files?: string[];
}

function admitted({ job, outcome }: { job: number; outcome: string }): string {
  if (outcome === 'duplicate') return `This was asked before: job ${job}.`;
  if (outcome === 'coalesced') return `Job ${job}, which waits already, does this too.`;
  return `Job ${job} waits for its turn. See: lull why ${job}`;
}

function jobTable(rows: JobRow[], now: number, width: number | null): string[] {
  return table<JobRow>(
    [
      { head: 'JOB', cell: (row) => row.id, right: true },
      { head: 'STATE', cell: (row) => row.state },
      { head: 'TIER', cell: (row) => row.tier },
      {
        head: 'SINCE',
        cell: (row) => formatMoment(row.finishedAt ?? row.startedAt ?? row.createdAt, now),
      },
      { head: 'WHAT', cell: (row) => row.title, yields: true },
      { head: 'WHY', cell: (row) => row.reason ?? progressOf(row), yields: true },
    ],
    rows,
    width,
  );
}

function progressOf({ progress }: JobRow): string | null {
  if (!progress) return null;
  const { done, total, unit } = progress;
  return total === null ? `${done} ${unit}` : `${done} of ${total} ${unit}`;
}

function jobLines(job: JobDetail, now: number): string[] {
  const lines = [
    `Job ${job.id}: ${job.title}`,
    '',
    ...facts([
      ['state', job.state],
      ['why', job.reason],
      ['progress', progressOf(job)],
      ['tier', job.tier],
      ['kind', job.kind],
      ['source', job.source],
      ['session', job.session],
      ['subject', job.subject],
      ['retry of', job.retryOf],
      ['attempts', job.attempts],
      ['folded in', job.coalesced || null],
      ['created', formatMoment(job.createdAt, now)],
      ['started', formatMoment(job.startedAt, now)],
      ['finished', formatMoment(job.finishedAt, now)],
      ['took', job.startedAt && job.finishedAt ? formatSpan(job.finishedAt - job.startedAt) : null],
      ['expires', formatMoment(job.expiresAt, now)],
      ['draft', job.draft],
    ]),
  ];
  for (const [head, text] of [
    ['Prompt', job.prompt],
    ['Result', job.result],
    ['Error', job.error],
  ]) {
    if (text) lines.push('', `${head}:`, ...text.split('\n').map((line) => `  ${line}`));
  }
  if (job.events.length) lines.push('', 'Events:');
  for (const event of job.events) {
    lines.push(`  ${formatMoment(event.at, now)}  ${event.kind}  ${JSON.stringify(event.payload)}`);
  }
  return lines;
}
