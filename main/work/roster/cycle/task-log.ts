import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Cadence } from '../repository/cadence.ts';
import { stampOf } from './moments.ts';

export type LogStatus = 'completed' | 'failed' | 'deferred';

/** Further lines of a log, in their order; empty ones are left out. */
export type LogMetadata = Readonly<Record<string, string | number | null>>;

export interface TaskLog {
  cadence: Cadence;
  /** The agent, or `scheduler` where none had been chosen. */
  agent: string;
  status: LogStatus;
  reason: string;
  detail: string | null;
  platform: string;
  metadata: LogMetadata;
}

/**
 * The text of a log, in the form that existing repositories hold: frontmatter whose free texts are
 * single-quoted YAML on one line each, then the reason and the detail as bullets.
 */
export function formatTaskLog(log: TaskLog, now: number): string {
  const at = new Date(now).toISOString();
  const reason = oneLine(log.reason);
  const detail = oneLine(log.detail ?? '');
  const rest = Object.entries({ platform: log.platform, ...log.metadata })
    .map(([key, value]) => [key, oneLine(String(value ?? ''))] as const)
    .filter(([, value]) => value !== '');
  const lines = [
    '---',
    `cadence: ${log.cadence}`,
    `agent: ${log.agent}`,
    `status: ${log.status}`,
    `reason: ${quoted(reason)}`,
    ...(detail ? [`detail: ${quoted(detail)}`] : []),
    `created_at: ${at}`,
    `timestamp: ${at}`,
    ...rest.map(([key, value]) => `${key}: ${quoted(value)}`),
    '---',
    `# Scheduler ${log.status}`,
    `- reason: ${reason}`,
    ...(detail ? [`- detail: ${detail}`] : []),
  ];
  return `${lines.join('\n')}\n`;
}

/** Names tried when another cycle ends with the same words in the same second. */
const MOST_NAMES = 60;

/**
 * Writes a log into `dir` and gives its path: `<stamp>__<agent>__<status>.md`. Never overwrites one, and
 * leaves no half of one behind. Throws when it cannot be written.
 */
export function writeTaskLog(dir: string, log: TaskLog, now: number): string {
  mkdirSync(dir, { recursive: true });
  const text = formatTaskLog(log, now);
  for (let later = 0; ; later++) {
    const stamp = stampOf(now + later * 1000);
    const path = join(dir, `${stamp}__${log.agent}__${log.status}.md`);
    let handle: number;
    try {
      handle = openSync(path, 'wx');
    } catch (error) {
      const taken = (error as NodeJS.ErrnoException).code === 'EEXIST';
      if (taken && later < MOST_NAMES) continue;
      throw error;
    }
    try {
      writeWhole(handle, text);
      return path;
    } catch (error) {
      rmSync(path, { force: true });
      throw error;
    } finally {
      closeSync(handle);
    }
  }
}

/** Writes all of it: a nearly full disk takes a part and says so only when asked for the rest. */
function writeWhole(handle: number, text: string): void {
  const bytes = Buffer.from(text);
  let written = 0;
  while (written < bytes.length) written += writeSync(handle, bytes, written);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** On one line and without control characters, so that readers that go line by line find it whole. */
function oneLine(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .replace(/\p{Cc}/gu, '')
    .trim();
}
