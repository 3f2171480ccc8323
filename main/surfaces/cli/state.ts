import { type Command, Option } from 'commander';
import type { Clock } from '../../base/clock.ts';
import type { CommandOutput, PausedView, StatusView, WhyRow } from '../contract.ts';
import type { Act } from './act.ts';
import { formatMoment, formatSpan } from './moment.ts';
import { futureReader, readDuration, readId } from './parse.ts';
import { wordText } from './presence.ts';
import { facts, table } from './table.ts';

/** `lull status`, `why`, `doctor`, `pause` and `resume`. */
export function addStateCommands(program: Command, act: Act, clock: Clock): void {
  act(
    program.command('status').description('what Lull does now, and why it waits'),
    async ({ call, now, width }) => {
      const value = await call('status', {});
      return { value, lines: statusLines(value, now, width) };
    },
  );
  act(
    program
      .command('why')
      .description('why work waits, and when it may run')
      .argument('[job]', 'only this job', readId),
    async ({ call, width }, job: number | undefined) => {
      const value = await call('why', { ...(job !== undefined && { job }) });
      return { value, lines: value.length ? whyTable(value, width) : ['Nothing waits.'] };
    },
  );
  act(
    program.command('doctor').description('what Lull can see of this machine, tried out'),
    async ({ call, width }) => {
      const value = await call('doctor', {});
      return { value, lines: doctorLines(value, width) };
    },
  );
  act<{ heavy?: boolean; for?: number; until?: number }>(
    program
      .command('pause')
      .description('start nothing, until resumed or for a time')
      .option('--heavy', 'only heavy work')
      .option('--for <duration>', 'so long, for example 90m', readDuration)
      .addOption(
        new Option('--until <time>', 'until then, for example 08:00')
          .argParser(futureReader(clock))
          .conflicts('for'),
      ),
    async ({ call, options, now }) => {
      const value = await call('pause', {
        scope: options.heavy ? 'heavy' : 'all',
        ...(options.for !== undefined && { forSeconds: options.for }),
        ...(options.until !== undefined && { until: options.until }),
      });
      return { value, lines: [`Paused: ${pausedText(value, now)}.`] };
    },
  );
  act<{ heavy?: boolean }>(
    program
      .command('resume')
      .description('end a pause')
      .option('--heavy', 'only the pause of heavy work'),
    async ({ call, options, now }) => {
      const value = await call('resume', options.heavy ? { scope: 'heavy' } : {});
      const still = value.all || value.heavy;
      return { value, lines: [still ? `Still paused: ${pausedText(value, now)}.` : 'Not paused.'] };
    },
  );
}

function pausedText(paused: PausedView, now: number): string {
  const text = (what: string, pause: { until: number | null } | null) => {
    if (!pause) return [];
    if (pause.until === null) return [`${what}, until resumed`];
    return [`${what}, until ${formatMoment(pause.until, now)} (${formatSpan(pause.until - now)})`];
  };
  const all = [...text('everything', paused.all), ...text('heavy work', paused.heavy)];
  return all.join('; ') || 'nothing';
}

function statusLines(status: StatusView, now: number, width: number | null): string[] {
  const { host, queue, drafts } = status;
  return [
    status.line,
    '',
    ...facts([
      ['host', hostText(status, now)],
      ['health', healthText(status, now)],
      ['model', host?.model ?? null],
      ['folder', host?.home ?? null],
      ['paused', pausedText(status.paused, now)],
      ['your word', wordText(status.word, now)],
      ['queue', `${queue.queued} queued, ${queue.running} running, ${queue.deferred} deferred`],
      ['drafts', drafts.pending ? `${drafts.pending} to decide` : 'none to decide'],
    ]),
    '',
    ...table<StatusView['gates'][number]>(
      [
        { head: 'GATE', cell: (gate) => gate.id },
        { head: 'STATE', cell: (gate) => (gate.open ? 'open' : 'closed') },
        { head: 'STOPS', cell: (gate) => BLOCKS[gate.blocks] },
        { head: 'WHY', cell: (gate) => gate.reason, yields: true },
      ],
      status.gates,
      width,
    ),
  ];
}

function hostText({ host, run }: StatusView, now: number): string {
  if (host) return `pid ${host.pid}, version ${host.version}`;
  if (run?.end !== 'dead') return 'not running';
  const since = formatMoment(run.startedAt, now);
  return `dead: run ${run.id} (pid ${run.pid}, since ${since}) ended without a word`;
}

function healthText({ stalled, wedged }: StatusView, now: number): string | null {
  const since = (moment: { since: number }) => `since ${formatMoment(moment.since, now)}`;
  const parts = [
    ...(stalled ? [`stalled ${since(stalled)}`] : []),
    ...wedged.map((one) => `job ${one.job} shows no progress ${since(one)}`),
  ];
  return parts.length > 0 ? parts.join('; ') : null;
}

const BLOCKS: Readonly<Record<StatusView['gates'][number]['blocks'], string>> = {
  none: '',
  heavy: 'heavy work',
  all: 'everything',
  'other-models': 'other models',
};

function whyTable(rows: WhyRow[], width: number | null): string[] {
  return table<WhyRow>(
    [
      { head: 'JOB', cell: (row) => row.job, right: true },
      { head: 'CODE', cell: (row) => row.code },
      { head: 'WHY', cell: (row) => row.reason, yields: true },
      { head: 'WHEN', cell: (row) => row.forecast, yields: true },
    ],
    rows,
    width,
  );
}

function doctorLines({ probes, checks }: CommandOutput<'doctor'>, width: number | null): string[] {
  return [
    ...table<(typeof probes)[number]>(
      [
        { head: 'FACT', cell: (row) => row.fact },
        { head: 'VALUE', cell: (row) => row.value ?? 'unknown' },
        { head: 'SOURCE', cell: (row) => row.source, yields: true },
        { head: 'WHY', cell: (row) => row.reason, yields: true },
      ],
      probes,
      width,
    ),
    '',
    ...table<(typeof checks)[number]>(
      [
        { head: 'CHECK', cell: (row) => row.name },
        { head: 'RESULT', cell: (row) => checkWord(row.ok) },
        { head: 'DETAIL', cell: (row) => row.detail, yields: true },
      ],
      checks,
      width,
    ),
  ];
}

function checkWord(ok: boolean | null): string {
  if (ok === null) return '-';
  return ok ? 'ok' : 'FAILS';
}
