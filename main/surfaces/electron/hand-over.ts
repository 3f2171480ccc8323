import { app } from 'electron';

/** The arguments after `--cli`, or null where the app itself was started. */
export function cliArguments(argv: readonly string[]): string[] | null {
  const at = argv.indexOf('--cli');
  return at === -1 ? null : argv.slice(at + 1);
}

/**
 * Lets this process be the `lull` command and nothing else: it ends before the app gets ready, so
 * that neither an icon nor a window is made. `load` runs the command line, which leaves its exit code.
 */
export async function handOver(
  args: readonly string[],
  load: () => Promise<unknown>,
): Promise<void> {
  process.argv = [process.execPath, 'lull', ...args];
  await load();
  // A pipe may still hold what was printed, and `app.exit` does not wait for it.
  await Promise.all([process.stdout, process.stderr].map(written));
  app.exit(Number(process.exitCode ?? 0));
}

function written(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stream.write('', () => resolve()));
}
