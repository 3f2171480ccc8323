import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { memoryUpdates, promptPath } from '../repository/places.ts';
import type { ChildEnd } from './child.ts';
import { memoryMarkers } from './evidence.ts';
import { type HandoffCommand, handoffCommand, shell } from './handoff.ts';
import { stampOf } from './moments.ts';
import { checkPrompt } from './prompt.ts';
import { failed, howItEnded, type Outcome, type Run } from './run.ts';
import { writeRunState } from './run-state.ts';

/** The steps that carry the prompt out. */

/** How long a memory command may take. */
const MEMORY_LIMIT_MS = 15 * 60_000;

const REASONS = {
  prompt_parse_error: 'Prompt file parse/read failed',
  prompt_schema_error: 'Prompt file schema validation failed',
} as const;

export function readPrompt(run: Run): Outcome {
  const path = promptPath(run.around.cwd, run.options.cadence, run.agent);
  const checked = checkPrompt(path);
  run.prompt = { path, text: checked.ok ? checked.text : '' };
  if (checked.ok) return 'on';
  const { category, detail } = checked;
  return failed(category, REASONS[category], detail, 1, { prompt_path: path });
}

/** The run begins: a deferral is over, the memory file has its place, memory is retrieved. */
export async function retrieveMemory(run: Run): Promise<Outcome> {
  run.state = { ...run.state, lock_deferral: null };
  writeRunState(run.logs, run.state);
  const folder = memoryUpdates(run.around.cwd);
  mkdirSync(folder, { recursive: true });
  run.startedAt = run.around.clock.now();
  run.memoryFile = join(folder, `${stampOf(run.startedAt)}__${run.agent}.md`);
  return runMemory(run, 'retrieveCommand', 'Memory retrieval command failed');
}

export async function handOff(run: Run): Promise<Outcome> {
  const { cadence, platform, handoffLimitMs } = run.options;
  const { settings, around, prompt } = run;
  const configured = settings.handoffCommand[cadence];
  const command = handoffCommand(configured, around.env, platform, cadence, prompt?.text ?? '');
  const reason = 'Prompt/handoff execution failed';
  if (!command.ok) {
    return failed('execution_error', reason, `${command.message} - ${command.hint}`);
  }
  const ended = await execute(run, 'handoff', command.value, handoffLimitMs);
  if (ended.code === 0) return 'on';
  const detail = `The handoff command failed. ${howItEnded(ended)}`;
  return failed('execution_error', reason, detail, ended.code);
}

export async function storeMemory(run: Run): Promise<Outcome> {
  return runMemory(run, 'storeCommand', 'Memory storage command failed');
}

async function runMemory(
  run: Run,
  which: 'retrieveCommand' | 'storeCommand',
  reason: string,
): Promise<Outcome> {
  const line = run.settings.memoryPolicy[run.options.cadence][which];
  if (!line) return 'on';
  const label = which === 'retrieveCommand' ? 'retrieve' : 'store';
  const ended = await execute(run, label, shell(line), MEMORY_LIMIT_MS);
  if (ended.code === 0) return 'on';
  return failed('execution_error', reason, `${line}: ${howItEnded(ended)}`, ended.code);
}

/** Runs a command for the agent, and collects the memory markers it prints. */
async function execute(
  run: Run,
  label: string,
  { program, args, env }: HandoffCommand,
  limitMs: number,
): Promise<ChildEnd> {
  const { cadence, platform, model } = run.options;
  const ended = await run.runChild({
    ...{ label, program, args, limitMs },
    markers: memoryMarkers(run.settings.memoryPolicy[cadence]),
    env: {
      AGENT_PLATFORM: platform,
      ...(model !== null && { AGENT_MODEL: model }),
      SCHEDULER_AGENT: run.agent,
      SCHEDULER_CADENCE: cadence,
      SCHEDULER_PROMPT_PATH: run.prompt?.path ?? '',
      SCHEDULER_MEMORY_FILE: run.memoryFile ?? '',
      SCHEDULER_RUN_TIMESTAMP: stampOf(run.startedAt),
      ...env,
    },
  });
  for (const marker of ended.found) run.found.add(marker);
  return ended;
}
