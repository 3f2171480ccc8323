import { Command, CommanderError } from 'commander';
import { exitCodeOf, toFailure } from '../../base/errors.ts';
import { VERSION } from '../../base/version.ts';
import { actWith, homeOf, type Surroundings } from './act.ts';
import { addBackupCommands } from './backup.ts';
import { addCycleCommand } from './cycle.ts';
import { addCyclesCommands } from './cycles.ts';
import { addDraftCommands } from './drafts.ts';
import { addExportCommands } from './export.ts';
import type { ReadSecret } from './hidden-input.ts';
import { addHostCommands, type StartHost } from './host.ts';
import { addJobCommands } from './jobs.ts';
import { addLockCommands, type LockDoings } from './lock.ts';
import { addModelCommands } from './models.ts';
import { addPresenceCommands } from './presence.ts';
import { addScheduleCommands } from './schedules.ts';
import { addSecretCommands } from './secrets.ts';
import { addSettingCommands } from './settings.ts';
import { addStateCommands } from './state.ts';
import { addStockCommands } from './stock.ts';
import { cut, oneLine } from './text.ts';
import { addVitalCommands } from './vitals.ts';
import { addWatchCommands } from './watch.ts';

export interface CliDeps extends Surroundings {
  startHost: StartHost;
  openUrl(url: string): void;
  /** Asks for a secret where nobody sees it typed, or takes it from standard input. */
  readSecret: ReadSecret;
}

/**
 * Runs one command line and gives its exit code: 0 done, 1 usage or invalid input, 2 failed while
 * running, 3 refused. What goes wrong is one line on standard error. Never rejects.
 */
export async function runCli(args: readonly string[], deps: CliDeps): Promise<number> {
  let code = 0;
  const program = new Command('lull')
    .description('Heavy work for local models, only while you are away')
    .version(VERSION)
    .option('--home <folder>', 'the data folder (also: LULL_HOME)')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => deps.terminal.out(text),
      writeErr: (text) => deps.terminal.err(text),
      outputError: (text) => deps.terminal.err(usageLine(text)),
    });
  const act = actWith(deps);
  addHostCommands(program, act, {
    clock: deps.clock,
    openUrl: deps.openUrl,
    startHost: deps.startHost,
    homeOf: (given) => homeOf(given, deps),
    pathBase: deps.cwd,
    onExit: (status) => {
      code = status;
    },
  });
  addStateCommands(program, act, deps.clock);
  addPresenceCommands(program, act, deps.clock);
  addJobCommands(program, act, deps.clock);
  addDraftCommands(program, act, deps.clock);
  addStockCommands(program, act);
  addWatchCommands(program, act);
  addScheduleCommands(program, act, deps.clock);
  addCyclesCommands(program, act);
  addModelCommands(program, act);
  addSettingCommands(program, act);
  const byHand: LockDoings = {
    ...{ env: deps.env, cwd: deps.cwd, clock: deps.clock, terminal: deps.terminal },
    homeOf: (given) => homeOf(given, deps),
    onExit: (status) => {
      code = status;
    },
  };
  addLockCommands(program, byHand);
  addCycleCommand(program, byHand);
  addSecretCommands(program, act, deps.readSecret);
  addVitalCommands(program, act);
  addBackupCommands(program, act);
  addExportCommands(program, act);
  try {
    await program.parseAsync(args, { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode;
    const failure = toFailure(error);
    const hint = failure.hint ? ` - ${failure.hint}` : '';
    deps.terminal.err(errorLine(asTyped(failure.message) + hint));
    return exitCodeOf(failure.code);
  }
}

/** Commander's message as our one line: `lull: unknown command 'ad' - did you mean add?`. */
function usageLine(text: string): string {
  const line = text
    .replace(/^error: /, '')
    .replace(/\n\(Did you mean (.*)\?\)/s, ' - did you mean $1?');
  return errorLine(line);
}

/** Messages repeat what was typed, and that may be a whole file. */
const LONGEST_LINE = 600;

function errorLine(text: string): string {
  return `lull: ${cut(oneLine(text), LONGEST_LINE)}\n`;
}

/** Fields of the contract under the names that were typed. */
const FLAGS: Readonly<Record<string, string>> = {
  forSeconds: '--for',
  until: '--until',
  notBefore: '--not-before',
  reorderPoint: '--reorder-point',
  'rule.everySeconds': '--every',
  'rule.first': '--first',
  'rule.expression': '--cron',
  'rule.zone': '--tz',
  'missed.seconds': '--missed',
  'missed.atMost': '--missed',
};

function asTyped(message: string): string {
  const field = message.match(/^\S+(?=( must| is|:) )/)?.[0] ?? '';
  const flag = FLAGS[field];
  return flag ? flag + message.slice(field.length) : message;
}
