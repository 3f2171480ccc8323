import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { writtenSince } from './evidence.ts';
import { readHead } from './read-head.ts';

/** What a run must leave behind: the folder, how the file's name begins, and what it must tell. */
const KINDS: readonly {
  folder: string;
  prefix: string;
  tells: (text: string) => boolean;
  demand: string;
}[] = [
  {
    folder: 'src/context',
    prefix: 'CONTEXT_',
    tells: (text) =>
      [/\bgoals?\b/i, /\bscope\b/i, /\bconstraints?\b/i].every((one) => one.test(text)),
    demand: 'goal, scope and constraints',
  },
  {
    folder: 'src/todo',
    prefix: 'TODO_',
    tells: hasTasks,
    demand: 'what is pending or completed, as a list',
  },
  {
    folder: 'src/decisions',
    prefix: 'DECISIONS_',
    tells: (text) => /\bdecisions?\b/i.test(text) && /\brationale\b/i.test(text),
    demand: 'a decision and its rationale',
  },
  {
    folder: 'src/test_logs',
    prefix: 'TEST_LOG_',
    tells: (text) => field(text, 'command') !== null && field(text, 'result') !== null,
    demand: 'a "command:" and a "result:" line',
  },
];

const MOST_BYTES = 1_000_000;

/**
 * What is missing of the artifacts of a run that began at `startedAt` (epoch milliseconds), one line
 * each. For each kind there must be a file that was written since, tells what it must, and names the
 * agent, the cadence and the session or start of the run; or a file that says the kind is not needed.
 * Files in which another agent names itself belong to another run and do not count.
 */
export function missingArtifacts(
  root: string,
  run: { agent: string; cadence: string; startedAt: number },
): string[] {
  const missing: string[] = [];
  for (const { folder, prefix, tells, demand } of KINDS) {
    const recent = recentFiles(root, folder, run);
    const named = recent.filter(({ name }) => name.startsWith(prefix));
    if (named.length === 0) {
      if (recent.some(({ text }) => /\bnot needed\b/i.test(text))) continue;
      missing.push(`${folder}/${prefix}<time>.md is missing`);
      continue;
    }
    if (!named.some(({ text }) => tells(text))) missing.push(`${folder}: tell ${demand}`);
    for (const { name, text } of named) {
      const faults = faultsOfHead(text, run);
      if (faults.length > 0) missing.push(`${folder}/${name}: ${faults.join('; ')}`);
    }
  }
  return missing;
}

/** A list below the first word of pending or completed. */
function hasTasks(text: string): boolean {
  const word = text.search(/\b(?:pending|completed)\b/i);
  const below = word < 0 ? -1 : text.indexOf('\n', word);
  return below >= 0 && /^[ \t]*[-*+][ \t]+\S/m.test(text.slice(below));
}

function recentFiles(
  root: string,
  folder: string,
  run: { agent: string; startedAt: number },
): { name: string; text: string }[] {
  let names: string[];
  try {
    names = readdirSync(join(root, folder));
  } catch {
    return [];
  }
  return names
    .filter((name) => writtenSince(join(root, folder, name), run.startedAt))
    .map((name) => ({ name, text: readHead(join(root, folder, name), MOST_BYTES) ?? '' }))
    .filter(({ text }) => [null, run.agent].includes(field(text, 'agent')));
}

function faultsOfHead(text: string, run: { cadence: string }): string[] {
  const faults: string[] = [];
  if (field(text, 'agent') === null) faults.push('no "agent:" line');
  const cadence = field(text, 'cadence');
  if (cadence === null) faults.push('no "cadence:" line');
  else if (cadence !== run.cadence) faults.push(`its cadence is "${cadence}"`);
  const session = field(text, 'session') ?? field(text, 'run[-_ ]start');
  if (session === null) faults.push('no "session:" or "run-start:" line');
  return faults;
}

/** The value of a line such as `agent: x`, `- agent: x` or `**agent:** x`; null when there is none. */
function field(text: string, key: string): string | null {
  const line = new RegExp(`^[ \\t]*(?:[-*+][ \\t]+)?[*_]*${key}[*_]*[ \\t]*:(.*)$`, 'im').exec(
    text,
  );
  const value = line?.[1]?.replace(/^[\s*_`'"]+|[\s*_`'"]+$/g, '');
  return value ? value : null;
}
