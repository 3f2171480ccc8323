import { join } from 'node:path';
import type { Cadence } from './cadence.ts';

/** Where a repository with a roster keeps its things. */

/** The prompt of an agent. */
export function promptPath(root: string, cadence: Cadence, agent: string): string {
  return join(root, 'src', 'prompts', cadence, `${agent}.md`);
}

/** The folder of a cadence's logs and of its run state. */
export function taskLogs(root: string, cadence: Cadence): string {
  return join(root, 'task-logs', cadence);
}

/** The folder where agents leave what they learned. */
export function memoryUpdates(root: string): string {
  return join(root, 'memory-updates');
}
