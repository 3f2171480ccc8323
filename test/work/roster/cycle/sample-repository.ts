import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, vi } from 'vitest';
import { type Clock, systemClock } from '../../../../main/base/clock.ts';
import { ok } from '../../../../main/base/errors.ts';
import type { LineSink, RunChild } from '../../../../main/work/roster/cycle/child.ts';
import { type CycleResult, runCycle } from '../../../../main/work/roster/cycle/cycle.ts';
import type { CycleLock } from '../../../../main/work/roster/cycle/lock.ts';
import { scriptedLock } from '../../../../main/work/roster/cycle/scripted-lock.ts';
import type { Cadence } from '../../../../main/work/roster/repository/cadence.ts';
import { temporaryFolder } from '../../../support/store.ts';

/**
 * The lock scripts of a repository, answering by files: `lock/<command>.out`, `.err` and `.code`. Codes
 * stand one a line and are used up, but for the last.
 */
const LOCK_SCRIPT = `#!/bin/bash
command=$1; shift
echo "$command $* [$SCHEDULER_LOCK_ATTEMPT_ID|$SCHEDULER_LOCK_CORRELATION_ID|$AGENT_PLATFORM]" >> lock/calls
cat "lock/$command.out" 2>/dev/null
cat "lock/$command.err" >&2 2>/dev/null
code=$(head -n 1 "lock/$command.code" 2>/dev/null)
[ "$(wc -l < "lock/$command.code" 2>/dev/null)" -gt 1 ] 2>/dev/null && sed -i 1d "lock/$command.code"
exit "\${code:-0}"
`;

/** An agent that does all it must. */
const AGENT_SCRIPT = `#!/bin/bash
env | sort > agent-env
mkdir -p src/context src/todo src/decisions src/test_logs
head="agent: $SCHEDULER_AGENT
cadence: $SCHEDULER_CADENCE
session: one"
echo "$head
Goal, scope and constraints." > "src/context/CONTEXT_$SCHEDULER_RUN_TIMESTAMP-$SCHEDULER_AGENT.md"
echo "$head
## Completed
- all of it" > "src/todo/TODO_$SCHEDULER_RUN_TIMESTAMP-$SCHEDULER_AGENT.md"
echo "$head
Decision: none. Rationale: none." > "src/decisions/DECISIONS_$SCHEDULER_RUN_TIMESTAMP-$SCHEDULER_AGENT.md"
echo "$head
command: true
result: ok" > "src/test_logs/TEST_LOG_$SCHEDULER_RUN_TIMESTAMP-$SCHEDULER_AGENT.md"
echo "Learned to be brief." > "$SCHEDULER_MEMORY_FILE"
echo MEMORY_RETRIEVED
echo MEMORY_STORED
`;

export interface SampleOptions {
  roster?: unknown;
  config?: Record<string, unknown>;
  /** Lock commands without a script of the repository's own. */
  without?: readonly string[];
}

const COMMANDS = ['lock:check:daily', 'lock:lock', 'lock:complete', 'lock:health'];

export interface Sample {
  root: string;
  write(path: string, text: string): void;
  read(path: string): string;
  /** What `lock/<command>` answers from now on. */
  answer(command: string, codes: readonly number[], out?: string, err?: string): void;
  /** What the lock was asked, one line each. */
  calls(): string[];
  /** The names of the logs, sorted. */
  logs(cadence?: Cadence): string[];
  configure(scheduler: Record<string, unknown>): void;
}

/** A repository with a roster, scripts of its own for the lock, and an agent that does its work. */
export function sampleRepository({ roster, config, without = [] }: SampleOptions = {}): Sample {
  const root = temporaryFolder();
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const sample: Sample = {
    root,
    write,
    read: (path) => readFileSync(join(root, path), 'utf8'),
    answer(command, codes, out, err) {
      if (out !== undefined) write(`lock/${command}.out`, out);
      if (err !== undefined) write(`lock/${command}.err`, err);
      write(`lock/${command}.code`, `${codes.join('\n')}\n`);
    },
    calls: () => {
      try {
        return sample.read('lock/calls').trim().split('\n');
      } catch {
        return [];
      }
    },
    logs(cadence = 'daily') {
      const dir = join(root, 'task-logs', cadence);
      try {
        return readdirSync(dir)
          .filter((name) => name.endsWith('.md'))
          .sort();
      } catch {
        return [];
      }
    },
    configure(scheduler) {
      write(
        'torch-config.json',
        JSON.stringify({
          scheduler: {
            handoffCommandByCadence: { daily: 'bash agent.sh', weekly: 'bash agent.sh' },
            validationCommandsByCadence: { daily: ['true'], weekly: [] },
            lockRetry: { maxRetries: 0 },
            ...scheduler,
          },
        }),
      );
    },
  };
  execFileSync('git', ['init', '-q', root]);
  write(
    'src/prompts/roster.json',
    JSON.stringify(roster ?? { daily: ['audit-agent', 'ci-agent', 'docs-agent'], weekly: ['w'] }),
  );
  for (const agent of ['audit-agent', 'ci-agent', 'docs-agent']) {
    write(`src/prompts/daily/${agent}.md`, `# ${agent}\n\nDo your work.\n`);
  }
  write('src/prompts/weekly/w.md', '> weekly\n');
  write('lock.sh', LOCK_SCRIPT);
  write('agent.sh', AGENT_SCRIPT);
  const scripts = COMMANDS.filter((name) => !without.includes(name)).map((name) => [
    name,
    `bash lock.sh ${name.split(':')[1]}`,
  ]);
  write('package.json', JSON.stringify({ scripts: Object.fromEntries(scripts) }));
  sample.answer('check', [0], '{"locked":[],"paused":[],"completed":[],"excluded":[]}\n');
  sample.configure(config ?? {});
  // A host that the test ended may leave a question to git, which ends by itself.
  onTestFinished(() =>
    vi.waitFor(() => expect(processesIn(root), 'processes left behind').toEqual([]), 5000),
  );
  return sample;
}

/** Processes whose working folder is in `root`; the dead that nobody has buried do not count. */
export function processesIn(root: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readlinkSync(`/proc/${pid}/cwd`).startsWith(root);
      } catch {
        return false;
      }
    })
    .map((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' '));
}

export interface Ran extends CycleResult {
  out: string;
  err: string;
  /** The frontmatter of the log. */
  log: Record<string, string>;
  /** The log as written. */
  text: string;
}

export interface RunOptions {
  cadence?: Cadence;
  platform?: string;
  model?: string | null;
  env?: NodeJS.ProcessEnv;
  clock?: Clock;
  signal?: AbortSignal;
  handoffLimitMs?: number;
  lock?: CycleLock;
  /** Ask the lock by npm, as a cycle does; without it the same scripts, sooner. */
  npm?: boolean;
  onLine?: (line: string) => void;
}

/** Runs a cycle in a repository, with its own scripts as the lock unless another is given. */
export async function cycleIn({ root }: Sample, options: RunOptions = {}): Promise<Ran> {
  const lines: Record<'out' | 'err', string[]> = { out: [], err: [] };
  const hear = (stream: 'out' | 'err') => (line: string) => {
    lines[stream].push(line);
    options.onLine?.(line);
  };
  const around = {
    cwd: root,
    env: { PATH: process.env.PATH, HOME: root, ...options.env },
    clock: options.clock ?? systemClock(),
    signal: options.signal ?? new AbortController().signal,
    say: { out: hear('out'), err: hear('err') },
  };
  const result = await runCycle(
    {
      cadence: options.cadence ?? 'daily',
      platform: options.platform ?? 'claude',
      model: options.model ?? null,
      handoffLimitMs: options.handoffLimitMs ?? 60_000,
    },
    {
      ...around,
      openLock: (run) => ok(options.lock ?? lockOf(root, run, around.say, options.npm ?? false)),
    },
  );
  const text = result.logFile === null ? '' : readFileSync(result.logFile, 'utf8');
  return {
    ...result,
    out: lines.out.join('\n'),
    err: lines.err.join('\n'),
    log: frontmatter(text),
    text,
  };
}

/** The lock scripts of a sample. npm takes most of a second to start one. */
function lockOf(root: string, run: RunChild, say: LineSink, npm: boolean): CycleLock {
  const direct: RunChild = (order) =>
    run({ ...order, program: 'bash', args: ['lock.sh', ...afterName(order.args)] });
  return scriptedLock(root, npm ? run : direct, say, NOBODY);
}

/** `run lock:check:daily -- --json` as the script itself is called: `check --json`. */
function afterName([, script = '', , ...args]: readonly string[]): string[] {
  return [script.split(':')[1] ?? '', ...args];
}

/** A built-in lock in whose place the repository's scripts must stand. */
const NOBODY: CycleLock = {
  check: () => Promise.reject(new Error('not asked for')),
  acquire: () => Promise.reject(new Error('not asked for')),
  complete: () => Promise.reject(new Error('not asked for')),
  health: () => Promise.reject(new Error('not asked for')),
  keep: () => ({ lost: new AbortController().signal, stop: async () => {} }),
};

function frontmatter(text: string): Record<string, string> {
  const [, head = ''] = text.split('---\n');
  return Object.fromEntries(
    head
      .trimEnd()
      .split('\n')
      .map((line) => {
        const [, key = '', value = ''] = line.match(/^([a-z_]+): (.*)$/) ?? [];
        return [key, value.startsWith("'") ? value.slice(1, -1).replaceAll("''", "'") : value];
      }),
  );
}
