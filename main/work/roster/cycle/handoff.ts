import { failure, ok, type Result } from '../../../base/errors.ts';
import type { Cadence } from '../repository/cadence.ts';

/** The longest text that one argument of a program may be on every system. */
const LONGEST_ARGUMENT_BYTES = 100_000;

export interface HandoffCommand {
  program: string;
  args: string[];
  env: Record<string, string>;
}

/**
 * What a prompt is handed to: the configured command, else `SCHEDULER_AGENT_RUNNER_COMMAND` (both by
 * bash), else the agent that belongs to the platform, given the prompt as an argument.
 */
export function handoffCommand(
  configured: string | null,
  env: NodeJS.ProcessEnv,
  platform: string,
  cadence: Cadence,
  prompt: string,
): Result<HandoffCommand> {
  if (configured) return ok(shell(configured));
  const short = Buffer.byteLength(prompt) <= LONGEST_ARGUMENT_BYTES;
  const runner = env.SCHEDULER_AGENT_RUNNER_COMMAND?.trim();
  if (runner) return ok(shell(runner, short ? { SCHEDULER_PROMPT_MARKDOWN: prompt } : {}));
  const before = AGENTS.get(platform.trim().toLowerCase());
  const remedy = `set scheduler.handoffCommandByCadence.${cadence} in torch-config.json`;
  if (!before) return failure('invalid', `there is no handoff command for "${platform}"`, remedy);
  if (!short) {
    const kb = Math.ceil(Buffer.byteLength(prompt) / 1000);
    return failure('invalid', `a prompt of ${kb} kB cannot be given as an argument`, remedy);
  }
  const [program, ...args] = before;
  return ok({ program, args: [...args, prompt], env: {} });
}

const AGENTS: ReadonlyMap<string, readonly [string, ...string[]]> = new Map([
  ['codex', ['codex', 'exec']],
  ['claude', ['claude', '-p']],
]);

/** A command line for the owner's login shell. */
export function shell(command: string, env: Record<string, string> = {}): HandoffCommand {
  return { program: 'bash', args: ['-lc', command], env };
}
