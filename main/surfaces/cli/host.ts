import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import type { Clock } from '../../base/clock.ts';
import type { Home } from '../../base/home.ts';
import { PANEL_LINK } from '../socket/frames.ts';
import type { Act } from './act.ts';
import { readWhole } from './parse.ts';

export interface StartOptions {
  home: Home;
  /** Null: any free port. */
  port: number | null;
  /** Show the panel in a browser. */
  open: boolean;
  /** Use the deterministic offline model, whatever is configured. */
  offline: boolean;
  /** A file of facts to read instead of the machine's own. */
  facts: string | null;
}

/** Runs the host until it is stopped; the exit code. */
export type StartHost = (options: StartOptions) => Promise<number>;

export interface HostDoings {
  clock: Clock;
  startHost: StartHost;
  openUrl(url: string): void;
  homeOf(given: string | undefined): Home;
  pathBase: string;
  onExit(code: number): void;
}

/** `lull start` and `lull open`. */
export function addHostCommands(program: Command, act: Act, doings: HostDoings): void {
  program
    .command('start')
    .description('run Lull here, with its panel in the browser, until it is stopped')
    .option(
      '--port <number>',
      'the port of the panel (default: any free one)',
      readWhole(1, 65_535),
    )
    .option('--no-open', 'do not open the browser')
    .addOption(new Option('--model <which>', 'use no model but this one').choices(['offline']))
    .option('--facts <file>', 'read what is known of the machine from a JSON file')
    .action(async (options: StartFlags, command: Command) => {
      const { home } = command.optsWithGlobals<{ home?: string }>();
      doings.onExit(
        await doings.startHost({
          home: doings.homeOf(home),
          port: options.port ?? null,
          open: options.open,
          offline: options.model === 'offline',
          facts: options.facts === undefined ? null : resolve(doings.pathBase, options.facts),
        }),
      );
    });

  act<{ open: boolean }>(
    program
      .command('open')
      .description(
        'open the panel of the running Lull; without the app, prints a link that works once',
      )
      .option('--no-open', 'print the link only'),
    async ({ askHost, options }) => {
      const value = (await askHost(PANEL_LINK)) as { url: string | null };
      if (value.url === null) return { value, lines: ['The panel of the app is open.'] };
      if (options.open) doings.openUrl(value.url);
      return { value, lines: [value.url] };
    },
  );
}

interface StartFlags {
  port?: number;
  open: boolean;
  model?: 'offline';
  facts?: string;
}
