import { systemClock } from './base/clock.ts';
import { hiddenInput } from './surfaces/cli/hidden-input.ts';
import { runCli } from './surfaces/cli/run.ts';
import { openUrl } from './surfaces/open-url.ts';

/** The `lull` command. What it does not need at once is loaded when it does. */
process.stderr.on('error', () => {}); // nobody is left to be told
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // A reader that leaves (`lull jobs list | head`) is no fault; a host goes on without its terminal.
  if (error.code === 'EPIPE') return;
  process.stderr.write(`lull: the output cannot be written: ${error.message}\n`);
  process.exitCode = 2;
});

const code = await runCli(process.argv.slice(2), {
  env: process.env,
  cwd: process.cwd(),
  clock: systemClock(),
  terminal: {
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    width: process.stdout.isTTY ? process.stdout.columns : null,
  },
  openRooms: async (home, mode) => (await import('./one-command.ts')).openRooms(home, mode),
  startHost: async (options) => (await import('./headless.ts')).startHost(options),
  openUrl,
  readSecret: hiddenInput(process.stdin, process.stderr),
});
process.exitCode ||= code;
