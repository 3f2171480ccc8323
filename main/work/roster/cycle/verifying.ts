import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { missingArtifacts } from './artifacts.ts';
import { missingEvidence } from './evidence.ts';
import { excerpt } from './excerpt.ts';
import { failed, howItEnded, type Outcome, type Run } from './run.ts';

/** The gates between a run and its completion. */

const VERIFIER = join('scripts', 'agent', 'verify-run-artifacts.mjs');
const VERIFIER_LIMIT_MS = 5 * 60_000;
/** How long one validation command may take: test suites are long. */
const VALIDATION_LIMIT_MS = 60 * 60_000;

export function verifyMemory(run: Run): Outcome {
  const policy = run.settings.memoryPolicy[run.options.cadence];
  const missing = missingEvidence(policy, run.around.cwd, run.found, run.startedAt);
  if (missing.length === 0) return 'on';
  const detail = `Missing evidence for: ${missing.join(', ')}`;
  if (policy.mode === 'required') {
    return failed('prompt_schema_error', 'Required memory steps not verified', detail);
  }
  run.around.say.err(`[cycle] ${detail}. The memory policy is optional; going on.`);
  return 'on';
}

/** By the repository's own verifier, else by ours. */
export async function verifyArtifacts(run: Run): Promise<Outcome> {
  const { cwd, env, say } = run.around;
  const { cadence } = run.options;
  const reason = 'Missing required run artifacts';
  if (!existsSync(join(cwd, VERIFIER))) {
    const { agent, startedAt } = run;
    const missing = missingArtifacts(cwd, { agent, cadence, startedAt });
    if (missing.length === 0) return 'on';
    for (const line of missing) say.err(`[artifacts] ${line}`);
    return failed('prompt_schema_error', reason, excerpt(missing.join(' · '), env));
  }
  const start = new Date(run.startedAt).toISOString();
  const ended = await run.runChild({
    label: 'artifacts',
    program: 'node',
    args: [
      ...[VERIFIER, '--since', start, '--agent', run.agent, '--cadence', cadence],
      ...['--prompt-path', run.prompt?.path ?? '', '--run-start', start, '--check-failure-notes'],
    ],
    limitMs: VERIFIER_LIMIT_MS,
  });
  if (ended.code === 0) return 'on';
  const said = ended.stderr.trim() || ended.stdout.trim();
  const detail = ended.fault ?? (said ? excerpt(said, env) : howItEnded(ended));
  return failed('prompt_schema_error', reason, detail, ended.code);
}

/** Runs the repository's checks one after the other, without a shell. */
export async function validate(run: Run): Promise<Outcome> {
  for (const line of run.settings.validationCommands[run.options.cadence]) {
    const [program, ...args] = line.split(' ').filter(Boolean);
    if (program === undefined) continue;
    const limitMs = VALIDATION_LIMIT_MS;
    const ended = await run.runChild({ label: 'validate', program, args, limitMs });
    if (ended.code === 0) continue;
    const detail = `${line}: ${howItEnded(ended)}`;
    return failed('execution_error', 'Validation failed', detail, ended.code);
  }
  return 'on';
}
