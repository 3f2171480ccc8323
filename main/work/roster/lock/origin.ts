import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { relative, sep } from 'node:path';
import { type Clock, sleep } from '../../../base/clock.ts';
import { sha256 } from '../../../base/ids.ts';
import { promptPath } from '../repository/places.ts';
import type { Origin } from './lock-event.ts';
import type { Claim } from './port.ts';

const GIT_LIMIT_MS = 5000;

/** What an agent is run from: the commit checked out and the prompt as it stands. What is unknown is null. */
export async function originOf(root: string, claim: Claim, clock: Clock): Promise<Origin> {
  const path = promptPath(root, claim.cadence, claim.agent);
  let promptHash: string | null = null;
  try {
    promptHash = sha256(readFileSync(path));
  } catch {
    // the lock does not depend on it; the cycle will say what is wrong with the prompt
  }
  return {
    gitCommit: await headCommit(root, clock),
    promptPath: promptHash === null ? null : relative(root, path).split(sep).join('/'),
    promptHash,
  };
}

async function headCommit(root: string, clock: Clock): Promise<string | null> {
  const git = spawn('git', ['rev-parse', '--verify', 'HEAD'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let out = '';
  git.stdout.setEncoding('utf8').on('data', (part: string) => {
    out = (out + part).slice(0, 100);
  });
  const done = new AbortController();
  const ended = new Promise<number | null>((resolve) => {
    git.on('error', () => resolve(null));
    git.on('close', resolve);
  });
  const code = await Promise.race([ended, sleep(clock, GIT_LIMIT_MS, done.signal)]);
  done.abort();
  if (code === undefined) git.kill('SIGKILL');
  return code === 0 && /^[0-9a-f]{40,64}$/.test(out.trim()) ? out.trim() : null;
}
