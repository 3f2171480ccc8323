import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { momentOfStamp } from './moments.ts';
import { readHead } from './read-head.ts';

export interface PastRuns {
  /** Agents that ran, well or not, within the window. */
  recent: Set<string>;
  /** Whose run was the last one; null when no agent of the roster has run. */
  previous: string | null;
}

/** Logs of runs. Deferred ones are none: nothing ran. */
const RUN_LOG = /^(\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}Z)__([^_]+)__(?:completed|failed)\.md$/;

/** The frontmatter stands at the beginning. */
const HEAD_BYTES = 4_096;
/** A log's name and its `created_at` may differ by so much; older names need not be opened. */
const SLACK_MS = 86_400_000;

/**
 * What the logs in `dir` tell of the agents of a roster, now (epoch milliseconds). A run's moment is the
 * log's `created_at`, else the one in its name. Names are read first, and only as many files opened as
 * matter, one or two an agent: ten thousand old logs cost little more than ten.
 */
export function readPastRuns(
  dir: string,
  roster: readonly string[],
  now: number,
  windowMs: number,
): PastRuns {
  const oldest = now - windowMs;
  const recent = new Set<string>();
  let previous: string | null = null;
  let last = Number.NEGATIVE_INFINITY;
  for (const [agent, names] of namesByAgent(dir, roster)) {
    for (const [i, { name, named }] of names.entries()) {
      if (i > 0 && named < oldest - SLACK_MS) break;
      const at = createdAt(readHead(join(dir, name), HEAD_BYTES)) ?? named;
      if (at >= last) {
        last = at;
        previous = agent;
      }
      if (at < oldest) continue;
      recent.add(agent);
      break;
    }
  }
  return { recent, previous };
}

interface Named {
  name: string;
  named: number;
}

/** The logs of each agent, the newest name first. Names without a real moment are passed over. */
function namesByAgent(dir: string, roster: readonly string[]): Map<string, Named[]> {
  const byAgent = new Map<string, Named[]>(roster.map((agent) => [agent, []]));
  for (const name of readdirSync(dir)) {
    const [, stamp = '', agent = ''] = RUN_LOG.exec(name) ?? [];
    const named = stamp ? momentOfStamp(stamp) : null;
    if (named !== null) byAgent.get(agent)?.push({ name, named });
  }
  for (const names of byAgent.values()) names.sort((a, b) => b.named - a.named);
  return byAgent;
}

/** The moment in a log's frontmatter, or null when it says none. */
export function createdAt(head: string | null): number | null {
  const [first, ...lines] = (head ?? '').split(/\r?\n/);
  if (first?.trim() !== '---') return null;
  for (const line of lines) {
    if (line.trim() === '---') return null;
    const value = line.match(/^created_at\s*:\s*(.+)$/i)?.[1];
    if (value === undefined) continue;
    const at = Date.parse(value.trim().replace(/^['"]|['"]$/g, ''));
    return Number.isNaN(at) ? null : at;
  }
  return null;
}
