import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { stampOf, windowOf } from '../../main/work/roster/cycle/moments.ts';
import { readPastRuns } from '../../main/work/roster/cycle/past-runs.ts';
import { formatTaskLog } from '../../main/work/roster/cycle/task-log.ts';
import {
  alternating,
  type Bench,
  type BenchOptions,
  median,
  type Row,
  ratioAtMost,
  row,
  timed,
} from './bench.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const AGENTS = Array.from({ length: 10 }, (_, i) => `agent-${i}`);
const HOUR_MS = 3_600_000;

/** A repository whose agents all ran within the day, with so many older logs beside these runs'. */
function repository(older: number): string {
  const root = mkdtempSync(join(tmpdir(), 'lull-cycle-'));
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  write('src/prompts/roster.json', JSON.stringify({ daily: AGENTS, weekly: [] }));
  const now = Date.now();
  for (let i = 0; i < AGENTS.length + older; i++) {
    const at = now - (i + 1) * HOUR_MS;
    const agent = AGENTS[i % AGENTS.length] as string;
    const log = { cadence: 'daily', status: 'completed', agent, platform: 'claude' } as const;
    const text = formatTaskLog({ ...log, reason: 'Done', detail: null, metadata: {} }, at);
    write(`task-logs/daily/${stampOf(at)}__${agent}__completed.md`, text);
  }
  return root;
}

/** One whole `lull cycle`: it finds that all have run, and says so. */
async function cycle(cwd: string): Promise<number> {
  const cli = join(ROOT, 'main', 'cli.ts');
  const began = performance.now();
  const child = spawn(process.execPath, [cli, 'cycle', 'daily', '--local'], {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd, LULL_HOME: join(cwd, 'home') },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`lull cycle ended with ${code}`);
  return performance.now() - began;
}

async function run({ quick }: BenchOptions): Promise<Row[]> {
  const many = 10_000;
  const roots = { many: repository(many), few: repository(0) };
  try {
    const whole = await alternating(quick ? 3 : 15, {
      ours: () => cycle(roots.many),
      few: () => cycle(roots.few),
    });
    const window = windowOf('daily').ms;
    const read = (root: string) => () =>
      timed(() => readPastRuns(join(root, 'task-logs/daily'), AGENTS, Date.now(), window));
    const reading = await alternating(quick ? 5 : 50, {
      ours: read(roots.many),
      few: read(roots.few),
    });
    return [
      row(
        'lull cycle, start to finding nothing to do: 10,000 old logs beside 10',
        'ms',
        median(whole.ours),
        median(whole.few),
        ratioAtMost(1.5, '10 logs'),
      ),
      row(
        'of it, reading the logs: 10,000 beside 10',
        'ms',
        median(reading.ours),
        median(reading.few),
        null,
      ),
    ];
  } finally {
    for (const root of Object.values(roots)) rmSync(root, { recursive: true, force: true });
  }
}

export const benches: Bench[] = [{ name: 'cycle', run }];
