import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { LullError } from '../../base/errors.ts';

/** The secret that is meant for this name, without the line end. */
export type ReadSecret = (name: string) => Promise<string>;

/** More than any key has; what is longer is a wrong file. */
const LONGEST = 65_536;

/**
 * Asks at a terminal and shows nothing of what is typed; anywhere else takes standard input whole.
 * The prompt goes to `shown`, so that a redirected output stays empty. Throws LullError `invalid`.
 */
export function hiddenInput(from: NodeJS.ReadStream, shown: NodeJS.WritableStream): ReadSecret {
  return async (name) => {
    const text = from.isTTY ? await typed(from, shown, name) : await piped(from);
    const value = text.replace(/\r?\n$/, '');
    if (value === '') throw new LullError('invalid', 'no secret was given, so nothing was set');
    return value;
  };
}

async function piped(from: NodeJS.ReadStream): Promise<string> {
  let text = '';
  for await (const part of from.setEncoding('utf8')) {
    text += part;
    if (text.length > LONGEST) throw new LullError('invalid', 'that is too long for a secret');
  }
  return text;
}

function typed(from: NodeJS.ReadStream, shown: NodeJS.WritableStream, name: string) {
  shown.write(`Secret for ${name} (nothing is shown): `);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: from, output: nowhere, terminal: true, historySize: 0 });
  return new Promise<string>((resolve) => {
    let answer = '';
    lines.once('line', (line) => {
      answer = line;
      lines.close();
    });
    lines.once('SIGINT', () => lines.close());
    lines.once('close', () => {
      shown.write('\n');
      resolve(answer);
    });
  });
}
