import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Clock } from '../../base/clock.ts';
import { LullError } from '../../base/errors.ts';
import { type Home, resolveHome } from '../../base/home.ts';
import { type OpenRooms, type Reached, type Rooms, reach } from './reach.ts';
import { jsonDocument, printable } from './text.ts';

/** Where the words go; `width` is that of the terminal, null where there is none. */
export interface Terminal {
  out(text: string): void;
  err(text: string): void;
  width: number | null;
}

export interface Surroundings {
  env: NodeJS.ProcessEnv;
  cwd: string;
  clock: Clock;
  terminal: Terminal;
  openRooms: OpenRooms;
}

/** What a command has to say. */
export interface Shown {
  /** For `--json`: the one document. */
  value: unknown;
  /** For people. */
  lines: string[];
  /** Said, but not done: the line for standard error, and the exit code. */
  refusal?: LullError;
}

export interface Context<Options> extends Pick<Reached, 'call' | 'askHost'> {
  options: Options;
  home: Home;
  now: number;
  width: number | null;
  json: boolean;
  /** A path as the person who typed it means it. */
  path(text: string): string;
  /** The rooms over another database than that in use, to read in. */
  roomsOver(database: string): Promise<Rooms>;
}

/** Gives a command its deed: reach the host, do it, show it, as text or (`--json`) as one document. */
export type Act = <Options = object>(
  command: Command,
  work: (context: Context<Options>, ...args: never[]) => Promise<Shown>,
) => Command;

export function actWith(around: Surroundings): Act {
  const { terminal, clock } = around;
  return (command, work) =>
    command.option('--json', 'print one JSON document').action(async (...given: unknown[]) => {
      const { home, json = false } = command.optsWithGlobals<{ home?: string; json?: boolean }>();
      const folder = homeOf(home, around);
      const reached = reach(folder, clock, around.openRooms);
      let shown: Shown;
      try {
        const context = {
          call: reached.call,
          askHost: reached.askHost,
          home: folder,
          options: command.opts() as never,
          now: clock.now(),
          width: terminal.width,
          json,
          path: (text: string) => resolve(around.cwd, text),
          roomsOver: (database: string) => around.openRooms({ ...folder, database }, 'read'),
        };
        shown = await work(context, ...(given.slice(0, -2) as never[]));
      } finally {
        await reached.close();
      }
      const text = json
        ? jsonDocument(shown.value, terminal.width === null ? 0 : 2)
        : shown.lines.map(printable).join('\n');
      if (text) terminal.out(`${text}\n`);
      if (shown.refusal) throw shown.refusal;
    });
}

export function homeOf(given: string | undefined, around: Pick<Surroundings, 'env' | 'cwd'>) {
  if (given === '') throw new LullError('invalid', '--home must name a folder');
  return resolveHome(given === undefined ? undefined : resolve(around.cwd, given), around.env);
}
