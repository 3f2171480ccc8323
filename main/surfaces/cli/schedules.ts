import type { Command } from 'commander';
import type { Clock } from '../../base/clock.ts';
import { LullError } from '../../base/errors.ts';
import type { MissedPolicy, ScheduleRow, ScheduleRule } from '../contract.ts';
import type { Act } from './act.ts';
import { formatMoment, formatSpan } from './moment.ts';
import { momentReader, needed, readDuration, readMissed, readWhole } from './parse.ts';
import { facts, table } from './table.ts';

/** `lull schedule …`. */
export function addScheduleCommands(program: Command, act: Act, clock: Clock): void {
  const schedule = program.command('schedule').description('work that comes round');

  const withRule = (command: Command) =>
    command
      .option('--every <duration>', 'at fixed intervals, for example 1d', readDuration)
      .option(
        '--first <time>',
        'the first time (default: one interval from now)',
        momentReader(clock),
      )
      .option('--cron <expression>', 'by the calendar, for example "0 7 * * 1-5"')
      .option('--tz <zone>', 'the time zone of --cron (default: the one of this machine)');
  const withWork = (command: Command) =>
    withRule(command)
      .option(
        '--missed <policy>',
        'for times that passed: coalesce, skip, within:2h or replay:N',
        readMissed,
      )
      .option('--tier <tier>', 'pinned, routine, synthesis, stretch, or auto: chosen by rule');

  act<AddOptions>(
    withWork(
      schedule
        .command('add')
        .description('add a schedule')
        .argument('<id>', 'a name of your choice')
        .option('--prompt <text>', 'what is to be done each time'),
    )
      .option('--session <name>', 'the conversation it belongs to')
      .option('--to <where>', 'where the report goes: local or telegram:ACCOUNT:ID'),
    async ({ call, options, now }, id: string) => {
      const rule = ruleOf(options, now);
      if (!rule) throw new LullError('invalid', 'when? give --every or --cron');
      const { session, to } = options;
      const prompt = needed(options.prompt, '--prompt');
      const value = await call('schedule.add', {
        id,
        prompt,
        rule,
        ...changesOf(options),
        ...(session !== undefined && { session }),
        ...(to !== undefined && { to }),
      });
      return { value, lines: scheduleLines(value, now) };
    },
  );
  act<EditOptions>(
    withWork(
      schedule
        .command('edit')
        .description('change a schedule: what comes next follows the new one')
        .argument('<id>', 'its name')
        .option('--prompt <text>', 'what is to be done each time'),
    ),
    async ({ call, options, now }, id: string) => {
      const rule = ruleOf(options, now);
      const changes = {
        ...(options.prompt !== undefined && { prompt: options.prompt }),
        ...(rule && { rule }),
        ...changesOf(options),
      };
      if (Object.keys(changes).length === 0) {
        throw new LullError('invalid', 'nothing to change', 'see: lull schedule edit --help');
      }
      const value = await call('schedule.edit', { id, ...changes });
      return { value, lines: scheduleLines(value, now) };
    },
  );
  for (const name of ['enable', 'disable'] as const) {
    act(
      schedule.command(name).description(`${name} a schedule`).argument('<id>', 'its name'),
      async ({ call, now }, id: string) => {
        const value = await call(`schedule.${name}`, { id });
        return { value, lines: scheduleLines(value, now) };
      },
    );
  }
  act(schedule.command('list').description('all schedules'), async ({ call, now, width }) => {
    const value = await call('schedule.list', {});
    return { value, lines: value.length ? scheduleTable(value, now, width) : ['No schedules.'] };
  });
  act<RuleOptions & { count: number }>(
    withRule(
      schedule
        .command('preview')
        .description('the next times of a schedule, or of a rule that is not stored yet')
        .argument('[id]', 'its name'),
    ).option('-n, --count <number>', 'how many', readWhole(1, 100), 5),
    async ({ call, options, now }, id: string | undefined) => {
      const rule = ruleOf(options, now);
      if ((id === undefined) === !rule) {
        throw new LullError(
          'invalid',
          'give the name of a schedule, or a rule by --every or --cron',
        );
      }
      const value = await call('schedule.preview', {
        ...(id !== undefined && { id }),
        ...(rule && { rule }),
        count: options.count,
      });
      const lines = value.map(({ local, note }) => (note ? `${local}  ${note}` : local));
      return { value, lines: lines.length ? lines : ['It comes no more.'] };
    },
  );
}

interface RuleOptions {
  every?: number;
  first?: number;
  cron?: string;
  tz?: string;
}

interface EditOptions extends RuleOptions {
  prompt?: string;
  missed?: MissedPolicy;
  tier?: string;
}

interface AddOptions extends EditOptions {
  session?: string;
  to?: string;
}

function ruleOf({ every, first, cron, tz }: RuleOptions, now: number): ScheduleRule | null {
  const refuse = (what: string) => {
    throw new LullError('invalid', what);
  };
  if (every !== undefined && cron !== undefined) refuse('give --every or --cron, not both');
  if (first !== undefined && every === undefined) refuse('--first goes with --every');
  if (tz !== undefined && cron === undefined) refuse('--tz goes with --cron');
  if (every !== undefined) {
    return { kind: 'interval', everySeconds: every, first: first ?? now + every * 1000 };
  }
  if (cron === undefined) return null;
  const zone = tz ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  return { kind: 'cron', expression: cron, zone };
}

function changesOf({ missed, tier }: EditOptions) {
  return {
    ...(missed && { missed }),
    // Any other word is the host's to refuse, with the words that it knows.
    ...(tier !== undefined && { tier: tier === 'auto' ? null : (tier as ScheduleRow['tier']) }),
  };
}

function scheduleTable(rows: ScheduleRow[], now: number, width: number | null): string[] {
  return table<ScheduleRow>(
    [
      { head: 'ID', cell: (row) => row.id },
      { head: 'WHEN', cell: (row) => row.ruleText, yields: true },
      { head: 'NEXT', cell: (row) => (row.enabled ? formatMoment(row.nextDue, now) : 'off') },
      { head: 'STARTED', cell: (row) => formatMoment(row.lastStartedAt, now) },
      { head: 'FOLDED IN', cell: (row) => row.coalescedCount || null, right: true },
      { head: 'MISSED', cell: (row) => row.missedCount - row.coalescedCount || null, right: true },
      { head: 'WHAT', cell: (row) => row.prompt, yields: true },
    ],
    rows,
    width,
  );
}

function scheduleLines(row: ScheduleRow, now: number): string[] {
  return facts([
    ['schedule', row.id],
    ['when', row.ruleText],
    ['next', row.enabled ? formatMoment(row.nextDue, now) || 'never' : 'off'],
    ['if missed', missedText(row.missed)],
    ['folded in', row.coalescedCount || null],
    ['missed', row.missedCount - row.coalescedCount || null],
    ['tier', row.tier ?? 'chosen by rule'],
    ['session', row.session],
    ['to', row.to],
    ['prompt', row.prompt],
    ['admitted', formatMoment(row.lastAdmittedAt, now)],
    ['started', formatMoment(row.lastStartedAt, now)],
    ['finished', formatMoment(row.lastFinishedAt, now)],
  ]);
}

function missedText(policy: MissedPolicy): string {
  switch (policy.kind) {
    case 'coalesce':
      return 'one run makes up for all';
    case 'skip':
      return 'left out';
    case 'within':
      return `made up for within ${formatSpan(policy.seconds * 1000)}`;
    case 'replay':
      return `each is made up for, ${policy.atMost} at most`;
  }
}
