import type { Command } from 'commander';
import { LullError } from '../../base/errors.ts';
import type { SecretRow } from '../contract.ts';
import type { Act } from './act.ts';
import type { ReadSecret } from './hidden-input.ts';
import { formatMoment } from './moment.ts';
import { table } from './table.ts';

/** `lull secret …`. A value comes from a hidden prompt or from standard input, never as a word. */
export function addSecretCommands(program: Command, act: Act, readSecret: ReadSecret): void {
  const secret = program.command('secret').description('keys and passwords, kept by name');
  act(
    secret
      .command('set')
      .description('keep a secret; it is asked for, or read from standard input')
      .argument('<name>', 'a name of your choice, such as lab-key')
      .argument('[value]', 'not here: it would stay in the history of the shell'),
    async ({ call }, name: string, word: string | undefined) => {
      if (word !== undefined) {
        throw new LullError(
          'invalid',
          'the secret itself is not taken from the command line',
          `what you typed is in the history of your shell now; leave it out: lull secret set ${NAME}`,
        );
      }
      const value = await call('secrets.set', { name, value: await readSecret(name) });
      return { value, lines: [`${value.name} is kept ${placeOf(value)}.`] };
    },
  );
  act(
    secret.command('list').description('which secrets there are, without their values'),
    async ({ call, now, width }) => {
      const value = await call('secrets.list', {});
      return { value, lines: value.length ? secretTable(value, now, width) : ['No secrets.'] };
    },
  );
  act(
    secret.command('remove').description('forget a secret').argument('<name>', 'its name'),
    async ({ call }, name: string) => {
      const value = await call('secrets.remove', { name });
      const users = value.usedBy.length ? ` Still named by: ${value.usedBy.join(', ')}.` : '';
      return { value, lines: [`${value.name} is removed.${users}`] };
    },
  );
}

/** Not the name that was typed: the two may have changed places. */
const NAME = 'NAME';

function placeOf({ kept }: SecretRow): string {
  return kept === 'keychain' ? 'under the keychain' : 'in a file that only you can read';
}

function secretTable(rows: SecretRow[], now: number, width: number | null): string[] {
  return table<SecretRow>(
    [
      { head: 'NAME', cell: (row) => row.name },
      { head: 'KEPT', cell: (row) => row.kept },
      { head: 'SET', cell: (row) => formatMoment(row.setAt, now) },
      { head: 'USED BY', cell: (row) => row.usedBy.join(', '), yields: true },
    ],
    rows,
    width,
  );
}
