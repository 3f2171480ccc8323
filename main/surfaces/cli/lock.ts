import { type Command, Option } from 'commander';
import type { Clock } from '../../base/clock.ts';
import { LullError } from '../../base/errors.ts';
import type { Home } from '../../base/home.ts';
import type { LockList } from '../../work/roster/lock/list.ts';
import type { LockAnswer, RosterLock } from '../../work/roster/lock/port.ts';
import type { LockOptions } from '../../work/roster/lock/session.ts';
import { CADENCES, type Cadence } from '../../work/roster/repository/cadence.ts';
import type { Terminal } from './act.ts';
import { formatMoment } from './moment.ts';
import { needed } from './parse.ts';
import { table } from './table.ts';
import { jsonDocument, printable } from './text.ts';

export interface LockDoings {
  env: NodeJS.ProcessEnv;
  cwd: string;
  clock: Clock;
  terminal: Terminal;
  homeOf(given: string | undefined): Home;
  onExit(code: number): void;
}

interface Flags {
  agent?: string;
  cadence?: Cadence;
  platform?: string;
  model?: string;
  local?: boolean;
  json?: boolean;
  quiet?: boolean;
}

/**
 * `lull lock …`: the lock between the machines that share a repository's roster, with the exit codes and
 * the lines of existing tools. It needs no running Lull, and works in the repository it is called in.
 */
export function addLockCommands(program: Command, doings: LockDoings): void {
  const lock = program
    .command('lock')
    .description('who runs which agent of a roster: the lock between machines');
  const command = (name: string, description: string) =>
    lock
      .command(name)
      .description(description)
      .addOption(new Option('--cadence <which>', 'daily or weekly').choices(CADENCES))
      .option('--quiet', 'no progress on standard error');
  const oneMachine = (made: Command) =>
    made.option('--local', 'between the processes of this machine only, without relays');
  const runner = (made: Command) =>
    oneMachine(made)
      .option('--agent <name>', 'the agent, as the roster names it')
      .option('--platform <name>', 'what runs it (also: AGENT_PLATFORM)')
      .option('--model <name>', 'the model (also: AGENT_MODEL)');

  oneMachine(command('check', 'who may not be taken now'))
    .option('--json', 'print one line of JSON')
    .action(
      doing(async (roster, flags) => {
        const answer = await roster.check(cadenceOf(flags));
        if (flags.json || answer.code !== 0) return answer;
        return flags.quiet ? { ...answer, stdout: '' } : { ...answer, stdout: indented(answer) };
      }),
    );
  for (const [name, description] of [
    ['acquire', 'claim an agent; exit 3 when another has it'],
    ['complete', 'mark an agent as done for its day or week'],
  ] as const) {
    runner(command(name, description)).action(
      doing((roster, flags) =>
        roster[name]({
          cadence: cadenceOf(flags),
          agent: needed(flags.agent, '--agent'),
          platform: flags.platform ?? null,
          model: flags.model ?? null,
        }),
      ),
    );
  }
  command('health', 'whether a relay can be used, as one line of JSON').action(
    doing((roster, flags) => roster.health(cadenceOf(flags))),
  );
  command('list', 'all locks now, and agents that ran twice')
    .option('--json', 'print one line of JSON')
    .action(async (flags: Flags, made: Command) => {
      const { listLocks } = await import('../../work/roster/lock/list.ts');
      const options = await optionsFor(made);
      const list = await listLocks(options, flags.cadence ? [flags.cadence] : CADENCES);
      tell(list.answer, flags);
      if (list.answer.code !== 0) return;
      const { locks, doubles } = list;
      doings.terminal.out(
        flags.json
          ? `${jsonDocument({ locks, doubles }, 0)}\n`
          : `${listLines(list, doings.clock.now(), doings.terminal.width).join('\n')}\n`,
      );
    });

  function doing(work: (lock: RosterLock, flags: Flags) => Promise<LockAnswer>) {
    return async (flags: Flags, made: Command): Promise<void> => {
      const options = await optionsFor(made);
      // Signatures take a moment to load: only these commands need them.
      const roster = flags.local
        ? (await import('../../work/roster/lock/local-lock.ts')).localLock(options)
        : (await import('../../work/roster/lock/roster-lock.ts')).rosterLock(options);
      const answer = await work(roster, flags);
      tell(answer, flags);
      doings.terminal.out(answer.stdout);
    };
  }

  async function optionsFor(made: Command): Promise<LockOptions> {
    const { home } = made.optsWithGlobals<{ home?: string }>();
    const { lockOptions } = await import('../../work/roster/lock/open-lock.ts');
    const { cwd, clock, env } = doings;
    const options = lockOptions({ root: cwd, home: doings.homeOf(home), clock, env });
    if (!options.ok) throw new LullError(options.code, options.message, options.hint);
    return options.value;
  }

  /** Progress is left out where nobody wants it; what went wrong is not. */
  function tell(answer: LockAnswer, flags: Flags): void {
    if (!flags.quiet || answer.code === 1 || answer.code === 2) {
      doings.terminal.err(printable(answer.stderr));
    }
    doings.onExit(answer.code);
  }
}

function cadenceOf(flags: Flags): Cadence {
  return needed(flags.cadence, '--cadence');
}

function indented({ stdout }: LockAnswer): string {
  return `${JSON.stringify(JSON.parse(stdout), null, 2)}\n`;
}

function listLines({ locks, doubles }: LockList, now: number, width: number | null): string[] {
  const lines = locks.length
    ? table<LockList['locks'][number]>(
        [
          { head: 'AGENT', cell: (lock) => lock.agent, yields: true },
          { head: 'CADENCE', cell: (lock) => lock.cadence },
          { head: 'DATE', cell: (lock) => lock.date },
          { head: 'STATE', cell: (lock) => (lock.status === 'started' ? 'running' : 'done') },
          { head: 'SINCE', cell: (lock) => formatMoment(Date.parse(lock.createdAt), now) },
          {
            head: 'UNTIL',
            cell: (lock) => (lock.expiresAt ? formatMoment(Date.parse(lock.expiresAt), now) : ''),
          },
          { head: 'PLATFORM', cell: (lock) => lock.platform },
          { head: 'HERE', cell: (lock) => (lock.ours ? 'yes' : '') },
        ],
        locks,
        width,
      )
    : ['No locks now.'];
  if (doubles.length === 0) return lines;
  return [
    ...lines,
    '',
    'Ran twice:',
    ...doubles.map(
      (one) =>
        `  ${one.agent} (${one.window}), here and on another machine (${one.platform}): ${one.why}`,
    ),
  ].map(printable);
}
