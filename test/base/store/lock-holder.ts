/** Takes the lock of the folder given, says so in one line, and holds it until it is ended. */
import { readFileSync } from 'node:fs';
import { LullError } from '../../../main/base/errors.ts';
import { resolveHome } from '../../../main/base/home.ts';
import { takeLock } from '../../../main/base/store/lock.ts';

const [folder, wait, mistake] = process.argv.slice(2);
const home = resolveHome(folder);
if (Number(wait) > 0) process.stdout.write('trying\n');
try {
  const lock = takeLock(home, { version: '9.9.9', now: Date.now(), waitMs: Number(wait) });
  if (mistake === 'read-the-lock') readFileSync(home.lock);
  process.stdout.write('held\n');
  process.stdin.on('data', () => {
    lock.release();
    process.stdout.write('released\n');
  });
  setInterval(() => {}, 60_000);
} catch (error) {
  if (!(error instanceof LullError)) throw error;
  process.stdout.write(`${error.code}: ${error.message}\n`);
  process.exitCode = 3;
}
