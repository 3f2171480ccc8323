import { Argument, type Command, InvalidArgumentError } from 'commander';
import { LullError } from '../../base/errors.ts';
import type {
  CyclePlan,
  CycleRunRow,
  CyclesView,
  LockHealth,
  RepositoryRow,
  ScheduleRule,
} from '../contract.ts';
import type { Act } from './act.ts';
import { formatMoment, parseDuration } from './moment.ts';
import { facts, table } from './table.ts';

const CADENCES = ['daily', 'weekly'] as const;
type Cadence = (typeof CADENCES)[number];

/** `every 2h` as a duration, or five cron fields. */
type When = { everySeconds: number } | { expression: string };

interface AddOptions {
  daily?: When;
  weekly?: When;
  tz?: string;
  platform?: string;
  model?: string;
  prepare?: string;
  consent?: boolean;
}

/** `lull cycles …`. */
export function addCyclesCommands(program: Command, act: Act): void {
  const cycles = program
    .command('cycles')
    .description('rosters of agents, gone round while you are away');
  const cadence = () => new Argument('<cadence>', 'which roster').choices(CADENCES);
  const folder = (command: Command) => command.argument('<folder>', 'the repository');

  act<AddOptions>(
    folder(cycles.command('add').description('add a repository, or change when it is due'))
      .option('--daily <when>', 'when the next daily agent is due: 2h, or "0 1-6 * * *"', readWhen)
      .option('--weekly <when>', 'when the next weekly agent is due', readWhen)
      .option('--tz <zone>', 'the time zone of cron times (default: the one of this machine)')
      .option('--platform <name>', 'what runs the agents, for example claude')
      .option('--model <name>', 'its model')
      .option('--prepare <command>', 'run first in each fresh working tree, for example "npm ci"')
      .option('--consent', 'you agree to what adding it means'),
    async ({ call, options, now, path }, given: string) => {
      const { platform, model, prepare, consent = false } = options;
      const value = await call('cycles.add', {
        path: path(given),
        daily: ruleOf(options.daily, options.tz, now),
        weekly: ruleOf(options.weekly, options.tz, now),
        ...(platform !== undefined && { platform }),
        ...(model !== undefined && { model }),
        ...(prepare !== undefined && { prepare }),
        consent,
      });
      const agents = CADENCES.map((one) => `${one}: ${value.roster[one].join(', ') || 'nobody'}`);
      const lines = [value.path, ...agents.map((line) => `  ${line}`), '', ...value.says];
      if (value.outcome === 'added') return { value, lines: [...lines, '', 'Added.'] };
      const refusal = new LullError(
        'refused',
        'nothing was added: your consent is needed',
        'give the command again with --consent',
      );
      return { value, lines, refusal };
    },
  );
  act(
    folder(cycles.command('remove').description('run nothing there any more')),
    async ({ call, path }, given: string) => {
      const value = await call('cycles.remove', { path: path(given) });
      return {
        value,
        lines: [`${value.path} is off the list. Its cycles are cancelled, its drafts stay.`],
      };
    },
  );
  act(
    cycles.command('list').description('the repositories, when they are due, and the last runs'),
    async ({ call, now, width }) => {
      const value = await call('cycles.list', {});
      return { value, lines: listLines(value, now, width) };
    },
  );
  act(
    folder(cycles.command('run').description('do one cycle in the next lull')).addArgument(
      cadence(),
    ),
    async ({ call, path }, given: string, which: Cadence) => {
      const value = await call('cycles.runNow', { path: path(given), cadence: which });
      return {
        value,
        lines: [
          `Job ${value.job} waits for the next lull.`,
          `At once, in spite of your presence: lull jobs run ${value.job}`,
        ],
      };
    },
  );
  act(
    folder(cycles.command('plan').description('whose turn is next')).addArgument(cadence()),
    async ({ call, now, width, path }, given: string, which: Cadence) => {
      const value = await call('cycles.plan', { path: path(given), cadence: which });
      return { value, lines: planLines(value, now, width) };
    },
  );
  act(
    folder(cycles.command('health').description('whether the lock can be reached')),
    async ({ call, width, path }, given: string) => {
      const value = await call('cycles.health', { path: path(given) });
      return { value, lines: healthLines(value, width) };
    },
  );
}

function readWhen(text: string): When {
  const everySeconds = parseDuration(text);
  if (everySeconds !== null) return { everySeconds };
  if (text.trim().split(/\s+/).length === 5) return { expression: text.trim() };
  throw new InvalidArgumentError('Write a duration such as 2h, or five cron fields.');
}

function ruleOf(when: When | undefined, tz: string | undefined, now: number): ScheduleRule | null {
  if (!when) return null;
  if ('everySeconds' in when) return { kind: 'interval', ...when, first: now };
  const zone = tz ?? new Intl.DateTimeFormat().resolvedOptions().timeZone;
  return { kind: 'cron', ...when, zone };
}

function listLines(view: CyclesView, now: number, width: number | null): string[] {
  const lines = view.repositories.flatMap((one) => [...repositoryLines(one, now), '']);
  if (lines.length === 0) {
    lines.push('No repository is gone round. Add one with: lull cycles add FOLDER', '');
  }
  const where = view.lock === 'local' ? 'on this machine' : `with ${view.relays.join(', ')}`;
  lines.push(`The lock is kept ${where}.`);
  if (view.runs.length > 0) lines.push('', ...runTable(view.runs, now, width));
  return lines;
}

function repositoryLines({ path, consent, fault, cadences, ...with_ }: RepositoryRow, now: number) {
  return [
    path,
    ...facts([
      ['  problem', fault],
      ['  consent', consent ? formatMoment(consent.at, now) : 'missing: nothing runs'],
      ['  platform', with_.platform],
      ['  model', with_.model],
      ['  prepare', with_.prepare],
      ...CADENCES.flatMap((one) => {
        const { roster, paused, schedule } = cadences[one];
        const due = schedule
          ? `${schedule.ruleText}, next ${formatMoment(schedule.nextDue, now)}`
          : 'only when asked for';
        return [
          [`  ${one}`, roster.length > 0 ? `${roster.length} agents, ${due}` : null] as const,
          ['  paused', paused.join(', ')] as const,
        ];
      }),
    ]),
  ];
}

function runTable(rows: CycleRunRow[], now: number, width: number | null): string[] {
  return table<CycleRunRow>(
    [
      { head: 'STARTED', cell: (row) => formatMoment(row.startedAt, now) },
      { head: 'AGENT', cell: (row) => row.agent },
      { head: 'CADENCE', cell: (row) => row.cadence },
      { head: 'STATUS', cell: (row) => row.status },
      { head: 'DRAFT', cell: (row) => row.draft, right: true },
      { head: 'REASON', cell: (row) => row.reason, yields: true },
    ],
    rows,
    width,
  );
}

const OUT = { locked: 'locked', paused: 'paused', ran: 'ran already' } as const;

function planLines({ agents, lockFault }: CyclePlan, now: number, width: number | null): string[] {
  const order = [...agents].sort((a, b) => (a.turn ?? Infinity) - (b.turn ?? Infinity));
  const rows = table<CyclePlan['agents'][number]>(
    [
      { head: 'TURN', cell: (row) => row.turn, right: true },
      { head: 'AGENT', cell: (row) => row.agent, yields: true },
      { head: 'NOT NOW', cell: (row) => row.out && OUT[row.out] },
      { head: 'UNTIL', cell: (row) => formatMoment(row.lockedUntil, now) },
    ],
    order,
    width,
  );
  const fault = lockFault && `The lock could not be asked: ${lockFault}`;
  return fault ? [...rows, '', fault] : rows;
}

function healthLines({ kind, ok, said, relays }: LockHealth, width: number | null): string[] {
  if (kind === 'local') return ['The lock is kept on this machine.'];
  const rows = table<LockHealth['relays'][number]>(
    [
      { head: 'RELAY', cell: (row) => row.relay, yields: true },
      { head: 'STATE', cell: (row) => (row.ok ? 'good' : (row.error ?? 'no answer')) },
      { head: 'MS', cell: (row) => row.ms, right: true },
    ],
    relays,
    width,
  );
  return ok ? rows : [...rows, '', `The lock cannot be reached: ${said ?? 'no relay answers'}`];
}
