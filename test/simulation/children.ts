import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { RunResult } from './simulate.ts';

export type Measured = RunResult & { readonly seconds: number };

/**
 * Runs seeds in a process of their own, from the simulation of that tree. Calls `each` for every run;
 * resolves with what the process said on standard error if it ended without a result.
 */
export async function runSeeds(
  root: string,
  days: number,
  seeds: readonly number[],
  options: { each: (result: Measured) => void; atMostMs?: number },
): Promise<string | null> {
  const file = join(root, 'test', 'simulation', 'seeds.ts');
  const child = spawn(process.execPath, [file, String(days), ...seeds.map(String)], {
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: options.atMostMs,
    killSignal: 'SIGKILL',
  });
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors = (errors + chunk).slice(-4000);
  });
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (text) => options.each(JSON.parse(text)));
  const read = once(lines, 'close');
  const [code, signal] = await once(child, 'close');
  await read;
  if (signal) return `ended by ${signal} after ${options.atMostMs} ms`;
  return code === 0 || code === 1 ? errors || null : errors;
}
