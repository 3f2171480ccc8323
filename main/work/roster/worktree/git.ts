import { spawn } from 'node:child_process';

/** How a call of git ended. */
export interface GitEnd {
  /** Its exit code; 127 when git could not be started, 124 when it was ended for its time. */
  code: number;
  /** The beginning of what it wrote, as UTF-8. */
  stdout: string;
  stderr: string;
  /** There was more on standard output than was asked for. */
  cut: boolean;
}

export interface GitOptions {
  /** Laid over the environment. */
  env?: Readonly<Record<string, string>>;
  limitMs?: number;
  mostBytes?: number;
}

const LIMIT_MS = 600_000;
const MOST_BYTES = 32_000_000;

/**
 * What the owner's settings must not do while we work: run hooks, ask for a key, start programs that
 * stay behind, or hide names.
 */
const SETTINGS = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.quotePath=false',
  'commit.gpgSign=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'advice.detachedHead=false',
].flatMap((one) => ['-c', one]);

/**
 * Runs git in `cwd`, without a shell, standard input or a terminal to ask on. In a process group of its
 * own, so that a Ctrl-C meant for us does not cut a merge in two. Never rejects.
 */
export function runGit(
  cwd: string,
  args: readonly string[],
  { env = {}, limitMs = LIMIT_MS, mostBytes = MOST_BYTES }: GitOptions = {},
): Promise<GitEnd> {
  return new Promise((resolve) => {
    let ended = false;
    const child = spawn('git', [...SETTINGS, ...args], {
      cwd,
      env: { ...cleanEnvironment(process.env), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    const late = AbortSignal.timeout(limitMs);
    late.addEventListener('abort', () => !ended && endGroup(child.pid));
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    let bytes = 0;
    let errBytes = 0;
    let cut = false;
    child.stdout.on('data', (piece: Buffer) => {
      if (cut) return;
      out.push(piece.subarray(0, mostBytes - bytes));
      bytes += piece.length;
      if (bytes <= mostBytes) return;
      cut = true;
      endGroup(child.pid);
    });
    child.stderr.on('data', (piece: Buffer) => {
      if (errBytes < mostBytes) err.push(piece);
      errBytes += piece.length;
    });
    const end = (code: number, more = '') => {
      ended = true;
      resolve({
        code,
        stdout: Buffer.concat(out).toString('utf8'),
        stderr: Buffer.concat(err).toString('utf8') + more,
        cut,
      });
    };
    child.once('error', (error: NodeJS.ErrnoException) =>
      end(127, error.code === 'ENOENT' ? startFault(cwd) : error.message),
    );
    child.once('close', (code) => {
      if (cut) end(0);
      else if (code === null) end(124, `git ${args[0]} was ended after ${limitMs / 1000} s`);
      else end(code);
    });
  });
}

/** The first line of what git complained of, without its prefix. */
export function complaint({ stderr, code }: Pick<GitEnd, 'stderr' | 'code'>): string {
  const line = stderr
    .split('\n')
    .map((one) => one.trim())
    .find((one) => one !== '' && !one.startsWith('hint:') && !one.startsWith('warning:'));
  return line?.replace(/^(fatal|error): /, '') ?? `git ended with code ${code}`;
}

/** Git, and whatever it started. */
function endGroup(leader: number | undefined): void {
  if (leader === undefined) return;
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}

/** Variables such as GIT_DIR would lead git somewhere else. */
function cleanEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(([name]) => !name.startsWith('GIT_'));
  return {
    ...Object.fromEntries(kept),
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_EDITOR: 'true',
    LC_ALL: 'C.UTF-8',
  };
}

/** Node says ENOENT for a missing program and for a missing folder alike. */
function startFault(cwd: string): string {
  return `git could not be started in ${cwd}: is git installed, and the folder there?`;
}
