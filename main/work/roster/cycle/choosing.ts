import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { answerOf, askWithRetries } from './ask-lock.ts';
import { backendCategory } from './backend-category.ts';
import { chooseAgent } from './choose.ts';
import { excerpt } from './excerpt.ts';
import { findJsonObject } from './json-in-output.ts';
import type { CycleAnswer } from './lock.ts';
import { windowOf } from './moments.ts';
import { readPastRuns } from './past-runs.ts';
import { readHead } from './read-head.ts';
import type { Outcome, Run } from './run.ts';
import { readRunState } from './run-state.ts';

/** The steps up to the choice of an agent. */

const MOST_POLICY_BYTES = 20_000;

/** Shows the repository's rules for agents, where it has some. */
export function showPolicy({ around }: Run): Outcome {
  const policy = readHead(join(around.cwd, 'AGENTS.md'), MOST_POLICY_BYTES);
  if (policy === null) around.say.out('[cycle] There is no AGENTS.md; going on.');
  else for (const line of policy.trimEnd().split('\n')) around.say.out(line);
  return 'on';
}

export function readState(run: Run): Outcome {
  mkdirSync(run.logs, { recursive: true });
  run.state = readRunState(run.logs, run.around.clock.now());
  run.agent = '';
  return 'on';
}

/** Asks beforehand whether the lock can be reached, where the configuration wants that. */
export async function preflight(run: Run): Promise<Outcome> {
  if (!run.settings.lockHealthPreflight) return 'on';
  const { cadence } = run.options;
  const { env } = run.around;
  const answer = await answerOf(run, run.lock.health(cadence));
  if (answer.code === 0) return 'on';
  // The whole output, for the report may go over several lines.
  const report = findJsonObject(`${answer.stdout}\n${answer.stderr}`, (value) =>
    ['summary', 'relays', 'ok'].some((key) => key in value),
  );
  const unhealthy = allUnhealthy(report);
  const said = report?.failureCategory;
  const category = typeof said === 'string' && said ? said : backendCategory(answer.stderr);
  const metadata = {
    failure_category: 'lock_backend_error',
    failure_class: 'backend_unavailable',
    backend_category: category,
    preflight_failure_category: category,
    preflight_stderr_excerpt: excerpt(answer.stderr, env),
    preflight_stdout_excerpt: excerpt(answer.stdout, env),
  };
  const remedy = `Prompt not executed. Look at the relays with \`lull lock health --cadence ${cadence}\`.`;
  if (unhealthy) {
    const reason = 'All relays unhealthy preflight';
    const detail = `No relay is healthy (${category}). ${remedy}`;
    return { end: { status: 'deferred', reason, detail, code: 0, metadata } };
  }
  const reason = 'Lock backend unavailable preflight';
  const detail = `The health check ended with exit code ${answer.code} (${category}). ${remedy}`;
  return { end: { status: 'failed', reason, detail, code: answer.code, metadata } };
}

/** As the report says it in so many words, else by its relays, else by its verdict on all of them. */
function allUnhealthy(report: Record<string, unknown> | null): boolean {
  const { summary, relays } = report ?? {};
  if (isObject(summary) && typeof summary.allRelaysUnhealthy === 'boolean') {
    return summary.allRelaysUnhealthy;
  }
  const verdicts = Array.isArray(relays) ? relays.map((one) => isObject(one) && one.ok) : [];
  if (verdicts.some((ok) => typeof ok === 'boolean')) return !verdicts.includes(true);
  return report?.ok === false;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** Asks who is locked, paused or done. A check that fails is not taken for "nobody". */
export async function checkLock(run: Run): Promise<Outcome> {
  const { cadence } = run.options;
  run.excluded = new Set([...run.settings.paused[cadence], ...run.lost]);
  run.checkFault = null;
  const tries = await askWithRetries(run, 'The check of the lock', async () => {
    const answer = await run.lock.check(cadence);
    const names = answer.code === 0 ? excludedBy(answer) : [];
    if (names === null) return { ...answer, code: 2 };
    for (const name of names) run.excluded.add(name);
    return answer;
  });
  if (tries.answer.code !== 0) run.checkFault = tries;
  return 'on';
}

const LISTS = ['locked', 'paused', 'completed'] as const;

function excludedBy(answer: CycleAnswer): string[] | null {
  const report = findJsonObject(`${answer.stdout}\n${answer.stderr}`, (value) =>
    ['excluded', ...LISTS].some((key) => Array.isArray(value[key])),
  );
  if (!report) return null;
  const lists = Array.isArray(report.excluded) ? ['excluded'] : LISTS;
  return lists
    .flatMap((key) => (Array.isArray(report[key]) ? (report[key] as unknown[]) : []))
    .filter((name) => typeof name === 'string');
}

/** Leaves out who ran within the window: the day of a lock may have turned since. */
export function guardWindow(run: Run): Outcome {
  const { cadence } = run.options;
  const window = windowOf(cadence);
  const now = run.around.clock.now();
  const past = readPastRuns(run.logs, run.roster, now, window.ms);
  run.previous = past.previous;
  run.recent = past.recent;
  const more = [...past.recent].filter((agent) => !run.excluded.has(agent));
  for (const agent of more) run.excluded.add(agent);
  if (more.length > 0) {
    run.around.say.out(`[cycle] Ran within the ${window.name} window: ${more.join(', ')}.`);
  }
  return 'on';
}

export function choose(run: Run): Outcome {
  const { cadence } = run.options;
  const first = run.settings.firstPrompt[cadence];
  if (first !== null && !run.roster.includes(first)) {
    run.around.say.err(`[cycle] The first prompt "${first}" is not in the ${cadence} roster.`);
  }
  const agent = chooseAgent(run.roster, run.excluded, run.previous, first);
  if (agent !== null) {
    run.agent = agent;
    return 'on';
  }
  if (run.roster.every((one) => run.recent.has(one))) {
    const { name } = windowOf(cadence);
    const reason = `Cycle complete: all ${run.roster.length} agents ran within the ${name} window`;
    return { end: { status: 'skipped', reason, code: 0 } };
  }
  const reason = 'All roster tasks currently claimed by other agents';
  return { end: { status: 'failed', reason, code: 1 } };
}
