import { constants } from 'node:os';
import { Argument, type Command } from 'commander';
import { LullError } from '../../base/errors.ts';
import type { Home } from '../../base/home.ts';
import { randomToken } from '../../base/ids.ts';
import { CADENCES, type Cadence } from '../../work/roster/repository/cadence.ts';
import type { LockDoings } from './lock.ts';
import { readDuration } from './parse.ts';
import { printable } from './text.ts';

interface CycleFlags {
  platform?: string;
  model?: string;
  timeLimit: number;
  local?: boolean;
}

/** As long as a lock lives by default: after that others may take an agent's turn for given up. */
const TIME_LIMIT_SECONDS = 7_200;

/** `lull cycle`: one turn of the roster of the repository it is called in, without a host. */
export function addCycleCommand(program: Command, doings: LockDoings): void {
  program
    .command('cycle')
    .description('run the next agent of this repository’s roster, here and now')
    .addArgument(new Argument('<cadence>', 'which roster').choices(CADENCES))
    .option('--platform <name>', 'what runs the agent, for example claude (also: AGENT_PLATFORM)')
    .option('--model <name>', 'its model (also: AGENT_MODEL)')
    .option(
      '--time-limit <duration>',
      'how long the agent may take, for example 90m',
      readDuration,
      TIME_LIMIT_SECONDS,
    )
    .option('--local', 'the lock of this machine only, without relays or scripts')
    .action(async (cadence: Cadence, flags: CycleFlags, command: Command) => {
      const { home } = command.optsWithGlobals<{ home?: string }>();
      doings.onExit(await runHere(cadence, flags, doings.homeOf(home), doings));
    });
}

async function runHere(
  cadence: Cadence,
  flags: CycleFlags,
  home: Home,
  { env, cwd, clock, terminal }: LockDoings,
): Promise<number> {
  const { runCycle } = await import('../../work/roster/cycle/cycle.ts');
  const { guardFamily } = await import('../../work/roster/cycle/guard.ts');
  const { repositoryLock } = await import('../../work/roster/cycle/repository-lock.ts');
  const { platformOf } = await import('../../work/roster/lock/platform.ts');
  const stop = new AbortController();
  const stopOn = (signal: NodeJS.Signals) => stop.abort(signal);
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, stopOn);
  const familyMark = randomToken(12);
  const guard = guardFamily(familyMark);
  try {
    const say = {
      out: (line: string) => terminal.out(`${printable(line)}\n`),
      err: (line: string) => terminal.err(`${printable(line)}\n`),
    };
    const ground = { cwd, env, clock, signal: stop.signal, say, familyMark };
    const result = await runCycle(
      {
        cadence,
        platform: platformOf(flags.platform ?? null, env),
        model: flags.model?.trim() || env.AGENT_MODEL?.trim() || null,
        handoffLimitMs: flags.timeLimit * 1000,
      },
      { ...ground, openLock: (run) => repositoryLock(ground, run, home, flags.local ?? false) },
    );
    if (result.refused) {
      const { code, message, hint } = result.refused;
      throw new LullError(code, message, hint);
    }
    if (!stop.signal.aborted) return result.code;
    const code = 128 + constants.signals[stop.signal.reason as NodeJS.Signals];
    leave(code);
    return code;
  } finally {
    guard.over();
    for (const signal of signals) process.off(signal, stopOn);
  }
}

/** Goes once all is said: a relay that does not answer must not hold up who was told to go. */
function leave(code: number): void {
  process.stdout.write('', () => process.stderr.write('', () => process.exit(code)));
}
