import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cycleIn, sampleRepository } from './sample-repository.ts';

const REFUSED = 'error_category=websocket_connection_refused_or_dns: connection refused';

/** Seconds are cut off in the names of logs. */
const STAMP = String.raw`\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ`;

function oneLog(agent: string, status: string) {
  return [expect.stringMatching(new RegExp(`^${STAMP}__${agent}__${status}\\.md$`))];
}

describe('a cycle', { timeout: 120_000 }, () => {
  it('T1 takes its turn: locks, hands over, verifies, completes, logs and sums up', async () => {
    const sample = sampleRepository();
    sample.write('AGENTS.md', 'Be kind.\n');
    const ran = await cycleIn(sample, { model: 'opus', npm: true });
    expect(ran).toMatchObject({
      code: 0,
      status: 'completed',
      agent: 'audit-agent',
      reason: 'Scheduler cycle completed successfully',
      detail: null,
      promptPath: join(sample.root, 'src/prompts/daily/audit-agent.md'),
      refused: null,
    });
    expect(sample.logs()).toEqual(oneLog('audit-agent', 'completed'));
    expect(sample.calls()).toEqual([
      'check --json --quiet [||]',
      expect.stringMatching(
        /^lock --agent audit-agent --cadence daily --model opus \[1\|daily:audit-agent:\d{4}-\d\d-\d\d\|claude\]$/,
      ),
      'complete --agent audit-agent --cadence daily --model opus [||claude]',
    ]);
    expect(ran.out).toContain('Be kind.');
    expect(ran.out).toContain('[handoff] MEMORY_STORED');
    const rule = '='.repeat(80);
    expect(ran.out.slice(ran.out.indexOf(rule) - 1)).toBe(
      [
        '',
        rule,
        'Scheduler Run Summary',
        rule,
        'Status:    completed',
        'Agent:     audit-agent',
        `Prompt:    ${ran.promptPath}`,
        'Platform:  claude',
        'Reason:    Scheduler cycle completed successfully',
        '',
        'Learnings / Discoveries:',
        'Learned to be brief.',
        rule,
      ].join('\n'),
    );
    expect(JSON.parse(sample.read('task-logs/daily/.scheduler-run-state.json'))).toEqual({
      run_date: new Date().toISOString().slice(0, 10),
      lock_deferral: null,
    });
  });

  it('T5 gives the agent its variables, and of ours only what is on the list', async () => {
    const sample = sampleRepository();
    const ran = await cycleIn(sample, {
      model: 'opus',
      env: {
        ...{
          SECRET_OF_MINE: 'x',
          AWS_SECRET_ACCESS_KEY: 'x',
          LC_ALL: 'C',
          TMPDIR: '/tmp',
          CI: '1',
        },
        ...{ ANTHROPIC_API_KEY: 'k', GITHUB_SHA: 'abc', LULL_HOME: '/x', NODE_ENV: 'test' },
      },
    });
    expect(ran.code).toBe(0);
    const seen = Object.fromEntries(
      sample
        .read('agent-env')
        .split('\n')
        .map((line) => [line.split('=', 1)[0], line.slice(line.indexOf('=') + 1)]),
    );
    expect(seen).toMatchObject({
      AGENT_PLATFORM: 'claude',
      AGENT_MODEL: 'opus',
      SCHEDULER_AGENT: 'audit-agent',
      SCHEDULER_CADENCE: 'daily',
      SCHEDULER_PROMPT_PATH: ran.promptPath,
      SCHEDULER_MEMORY_FILE: ran.memoryFile,
      SCHEDULER_RUN_TIMESTAMP: expect.stringMatching(new RegExp(`^${STAMP}$`)),
      ...{ LC_ALL: 'C', TMPDIR: '/tmp', CI: '1', ANTHROPIC_API_KEY: 'k', GITHUB_SHA: 'abc' },
      NODE_ENV: 'test',
    });
    expect(ran.memoryFile).toBe(
      join(sample.root, 'memory-updates', `${seen.SCHEDULER_RUN_TIMESTAMP}__audit-agent.md`),
    );
    for (const name of ['SECRET_OF_MINE', 'AWS_SECRET_ACCESS_KEY', 'LULL_HOME']) {
      expect(seen).not.toHaveProperty(name);
    }
  });

  it('T3 goes round the roster, and says so when all have run', async () => {
    const sample = sampleRepository();
    const agents: string[] = [];
    for (let i = 0; i < 3; i++) agents.push((await cycleIn(sample)).agent);
    expect(agents).toEqual(['audit-agent', 'ci-agent', 'docs-agent']);
    const ran = await cycleIn(sample);
    const reason = 'Cycle complete: all 3 agents ran within the 24-hour window';
    expect(ran).toMatchObject({ code: 0, status: 'skipped', agent: 'scheduler', reason });
    expect(ran).toMatchObject({ logFile: null, promptPath: null });
    expect(ran.out).toContain('Status:    skipped');
    expect(sample.logs()).toHaveLength(3);
  });

  it('T3 begins with the first prompt, and leaves out who is locked, paused or lost', async () => {
    const sample = sampleRepository();
    sample.configure({ firstPromptByCadence: { daily: 'ci-agent' } });
    expect((await cycleIn(sample)).agent).toBe('ci-agent');

    const paused = sampleRepository();
    paused.configure({ paused: { daily: ['audit-agent'] } });
    paused.answer('check', [0], '{"locked":["ci-agent"],"paused":[],"completed":[]}');
    expect((await cycleIn(paused)).agent).toBe('docs-agent');
  });

  it('T1 restarts after a lost race, with the next agent, as often as the roster is long', async () => {
    const sample = sampleRepository();
    sample.answer('lock', [3, 0]);
    expect(await cycleIn(sample)).toMatchObject({ code: 0, agent: 'ci-agent' });
    expect(sample.calls().map((call) => call.split(' ')[0])).toEqual([
      ...['check', 'lock', 'check', 'lock', 'complete'],
    ]);

    const denied = sampleRepository();
    denied.answer('lock', [3]);
    const ran = await cycleIn(denied);
    expect(ran).toMatchObject({ code: 1, status: 'failed', agent: 'scheduler' });
    expect(ran.log.reason).toBe('All roster tasks currently claimed by other agents');
    expect(denied.logs()).toEqual(oneLog('scheduler', 'failed'));
    expect(denied.calls().filter((call) => call.startsWith('lock'))).toHaveLength(3);
  });
});

describe('how a cycle ends', { timeout: 120_000 }, () => {
  it('T1 no roster entries: exit 1 before anything is done or written', async () => {
    const sample = sampleRepository({ roster: { daily: [], weekly: ['w'] } });
    const ran = await cycleIn(sample);
    expect(ran).toMatchObject({ code: 1, status: 'refused', logFile: null });
    expect(ran.refused?.message).toBe('No roster entries for cadence daily');
    expect(existsSync(join(sample.root, 'task-logs'))).toBe(false);
    expect(sample.calls()).toEqual([]);
    expect(ran.out + ran.err).toBe('');
  });

  it('T3 all excluded, but not by their own runs: failed, exit 1', async () => {
    const sample = sampleRepository();
    sample.answer('check', [0], '{"excluded":["audit-agent","ci-agent","docs-agent"]}');
    const ran = await cycleIn(sample);
    const reason = 'All roster tasks currently claimed by other agents';
    expect(ran).toMatchObject({ code: 1, status: 'failed', agent: 'scheduler', reason });
    expect(ran.log).toMatchObject({ agent: 'scheduler', status: 'failed', reason });
    expect(ran.log).not.toHaveProperty('failure_category');
  });

  it.each([
    ['in its summary', '{"relays":["wss://a"],"summary":{"allRelaysUnhealthy":true}}'],
    [
      'over several lines',
      '{\n  "ok": false,\n  "summary": {\n    "allRelaysUnhealthy": true\n  }\n}',
    ],
    ['by each relay', '{"ok":false,"relays":[{"relay":"wss://a","ok":false}]}'],
  ])('T1 all relays unhealthy beforehand, told %s: deferred, exit 0', async (_, json) => {
    const sample = sampleRepository({ config: { lockHealthPreflight: true } });
    sample.answer('health', [2], json, REFUSED);
    const ran = await cycleIn(sample, { npm: json.includes('\n') });
    const reason = 'All relays unhealthy preflight';
    expect(ran).toMatchObject({ code: 0, status: 'deferred', agent: 'scheduler', reason });
    expect(sample.logs()).toEqual(oneLog('scheduler', 'deferred'));
    expect(ran.log).toMatchObject({
      reason,
      detail: expect.stringContaining('Prompt not executed.'),
      failure_category: 'lock_backend_error',
      failure_class: 'backend_unavailable',
      backend_category: 'websocket_connection_refused_or_dns',
    });
    expect(sample.calls()).toEqual(['health --cadence daily [||]']);
  });

  it('T1 the lock is unhealthy in another way beforehand: failed, its exit code', async () => {
    const sample = sampleRepository({ config: { lockHealthPreflight: 'yes' } });
    sample.answer('health', [7], '{"ok":false,"summary":{"allRelaysUnhealthy":false}}');
    const ran = await cycleIn(sample);
    const reason = 'Lock backend unavailable preflight';
    expect(ran).toMatchObject({ code: 7, status: 'failed', agent: 'scheduler', reason });
    expect(ran.log).toMatchObject({ failure_category: 'lock_backend_error', status: 'failed' });

    const skipped = await cycleIn(sample, { env: { SCHEDULER_SKIP_LOCK_HEALTH_PREFLIGHT: '1' } });
    expect(skipped.code).toBe(0);
  });

  it('T1 the lock fails, strict: failed, exit 2, with all that was tried', async () => {
    const sample = sampleRepository({
      config: { lockRetry: { maxRetries: 2, backoffMs: 10, jitterMs: 0 } },
    });
    sample.answer('lock', [2], '', `token=abcdefgh123 ${REFUSED}`);
    const ran = await cycleIn(sample, { npm: true });
    const reason = 'Lock backend error';
    expect(ran).toMatchObject({ code: 2, status: 'failed', agent: 'audit-agent', reason });
    expect(sample.logs()).toEqual(oneLog('audit-agent', 'failed'));
    expect(Object.keys(ran.log)).toEqual([
      ...['cadence', 'agent', 'status', 'reason', 'detail', 'created_at', 'timestamp', 'platform'],
      ...['failure_category', 'failure_class', 'backend_category', 'lock_attempts_total'],
      ...['lock_backoff_schedule_ms', 'lock_correlation_id', 'lock_command'],
      ...['lock_stderr_excerpt', 'lock_stdout_excerpt', 'lock_idempotency_key'],
      ...['deferral_attempt_count', 'deferral_first_failure_timestamp'],
    ]);
    expect(ran.log).toMatchObject({
      failure_category: 'lock_backend_error',
      failure_class: 'backend_unavailable',
      backend_category: 'websocket_connection_refused_or_dns',
      lock_attempts_total: '3',
      lock_backoff_schedule_ms: '10, 20',
      lock_command: 'npm run lock:lock -- --agent audit-agent --cadence daily',
      lock_stderr_excerpt: `token=[REDACTED] ${REFUSED}`,
      lock_stdout_excerpt: expect.stringContaining('lock.sh'),
      lock_idempotency_key: expect.stringMatching(/^daily:audit-agent:\d{4}-\d\d-\d\d:/),
      deferral_attempt_count: '1',
    });
    expect(ran.log.detail).toContain('Prompt not executed.');
    expect(sample.calls().filter((call) => call.startsWith('lock'))).toHaveLength(3);
    expect(existsSync(join(sample.root, 'agent-env'))).toBe(false);
  });

  it('T3 the lock fails, not strict: put off as often as allowed, then failed', async () => {
    const sample = sampleRepository({ config: { strict_lock: 'no', max_deferrals: 1 } });
    sample.answer('lock', [2], '', 'error_category=relay_query_timeout');
    const first = await cycleIn(sample);
    const reason = 'Lock backend deferred';
    expect(first).toMatchObject({ code: 0, status: 'deferred', agent: 'audit-agent', reason });
    expect(first.log).toMatchObject({
      failure_category: 'lock_backend_error',
      backend_category: 'relay_query_timeout',
      deferral_attempt_count: '1',
      detail: expect.stringContaining('Prompt not executed.'),
    });
    const state = JSON.parse(sample.read('task-logs/daily/.scheduler-run-state.json'));
    expect(state.lock_deferral).toEqual({
      attempt_count: 1,
      first_failure_timestamp: first.log.deferral_first_failure_timestamp,
      backend_category: 'relay_query_timeout',
      idempotency_key: first.log.lock_idempotency_key,
      selected_agent: 'audit-agent',
    });
    const second = await cycleIn(sample);
    expect(second).toMatchObject({ code: 2, status: 'failed', reason: 'Lock backend error' });
    expect(second.log).toMatchObject({
      deferral_attempt_count: '2',
      lock_idempotency_key: first.log.lock_idempotency_key,
      lock_correlation_id: first.log.lock_idempotency_key,
    });
    const after = JSON.parse(sample.read('task-logs/daily/.scheduler-run-state.json'));
    expect(after.lock_deferral).toBeNull();
  });

  it('T1 a lock is given the key that the log names, the same at every attempt', async () => {
    const sample = sampleRepository({
      config: { strict_lock: false, lockRetry: { maxRetries: 1, backoffMs: 1, jitterMs: 0 } },
    });
    const keeps = '[ $1 = lock ] && echo "$SCHEDULER_LOCK_IDEMPOTENCY_KEY" >> keys';
    sample.write('lock.sh', sample.read('lock.sh').replace('\n', `\n${keeps}\n`));
    sample.answer('lock', [2]);
    const first = await cycleIn(sample);
    expect(first.log.lock_idempotency_key).toMatch(/^daily:audit-agent:\d{4}-\d\d-\d\d:/);
    await cycleIn(sample);
    const key = first.log.lock_idempotency_key;
    expect(sample.read('keys').trim().split('\n')).toEqual([key, key, key, key]);
  });

  it('T3 a deferral is over once the agent runs', async () => {
    const sample = sampleRepository({ config: { strict_lock: false } });
    sample.answer('lock', [2, 0]);
    expect((await cycleIn(sample)).status).toBe('deferred');
    expect(await cycleIn(sample)).toMatchObject({ status: 'completed', agent: 'audit-agent' });
    const state = JSON.parse(sample.read('task-logs/daily/.scheduler-run-state.json'));
    expect(state.lock_deferral).toBeNull();
  });

  it('T1 the lock fails in its own way: its exit code', async () => {
    const sample = sampleRepository();
    sample.answer('lock', [42]);
    const ran = await cycleIn(sample, { npm: true });
    const reason = 'Failed to acquire lock';
    expect(ran).toMatchObject({ code: 42, status: 'failed', agent: 'audit-agent', reason });
    expect(ran.log).toMatchObject({ status: 'failed', reason });
  });

  it.each([
    ['fails', [2], '{"excluded":[]}', 2, 'Lock backend error'],
    ['says nothing that can be read', [0], 'hello', 2, 'Lock backend error'],
    ['ends in another way', [1], '', 1, 'Failed to acquire lock'],
  ])('T1 a check that %s is not taken for "nobody"', async (_, codes, out, code, reason) => {
    const sample = sampleRepository();
    sample.answer('check', codes, out);
    const ran = await cycleIn(sample);
    expect(ran).toMatchObject({ code, status: 'failed', agent: 'audit-agent', reason });
    expect(ran.log.detail).toContain('Prompt not executed.');
    expect(sample.calls().every((call) => call.startsWith('check'))).toBe(true);
  });

  it('T1 a prompt that is missing: parse error, exit 1', async () => {
    const sample = sampleRepository();
    rmSync(join(sample.root, 'src/prompts/daily/audit-agent.md'));
    const ran = await cycleIn(sample);
    const reason = 'Prompt file parse/read failed';
    expect(ran).toMatchObject({ code: 1, status: 'failed', agent: 'audit-agent', reason });
    expect(ran.log).toMatchObject({
      failure_category: 'prompt_parse_error',
      failure_class: 'prompt_validation_error',
    });
    expect(existsSync(join(sample.root, 'agent-env'))).toBe(false);
  });

  it('T1 a prompt that begins otherwise: schema error, exit 1', async () => {
    const sample = sampleRepository();
    sample.write('src/prompts/daily/audit-agent.md', '\n\nPlease do.\n');
    const ran = await cycleIn(sample);
    const reason = 'Prompt file schema validation failed';
    expect(ran).toMatchObject({ code: 1, status: 'failed', agent: 'audit-agent', reason });
    expect(ran.log.failure_category).toBe('prompt_schema_error');
  });

  it('T5 no handoff command: execution error, exit 1', async () => {
    const sample = sampleRepository({ config: { handoffCommandByCadence: {} } });
    const ran = await cycleIn(sample, { platform: 'linux' });
    const reason = 'Prompt/handoff execution failed';
    expect(ran).toMatchObject({ code: 1, status: 'failed', agent: 'audit-agent', reason });
    expect(ran.log.failure_category).toBe('execution_error');
    expect(ran.log.detail).toContain('scheduler.handoffCommandByCadence.daily');
  });

  it('T5 a handoff that fails: execution error, its exit code, no completion', async () => {
    const sample = sampleRepository({ config: { handoffCommandByCadence: { daily: 'exit 9' } } });
    const ran = await cycleIn(sample);
    const reason = 'Prompt/handoff execution failed';
    expect(ran).toMatchObject({ code: 9, status: 'failed', agent: 'audit-agent', reason });
    expect(ran.log).toMatchObject({
      failure_category: 'execution_error',
      failure_class: 'prompt_validation_error',
    });
    expect(sample.calls().some((call) => call.startsWith('complete'))).toBe(false);
  });

  it.each([
    ['retrieveCommand', 'Memory retrieval command failed', false],
    ['storeCommand', 'Memory storage command failed', true],
  ])('T4 a %s that fails: execution error, its exit code', async (which, reason, handedOver) => {
    const memoryPolicyByCadence = { daily: { [which]: 'echo no >&2; exit 4' } };
    const sample = sampleRepository({ config: { memoryPolicyByCadence } });
    const ran = await cycleIn(sample);
    expect(ran).toMatchObject({ code: 4, status: 'failed', agent: 'audit-agent', reason });
    expect(ran.log.failure_category).toBe('execution_error');
    expect(existsSync(join(sample.root, 'agent-env'))).toBe(handedOver);
    expect(ran.err).toContain(`[${which === 'storeCommand' ? 'store' : 'retrieve'}] no`);
  });

  it('T4 required memory evidence is missing: schema error, exit 1', async () => {
    const memoryPolicyByCadence = { daily: { mode: 'required', storeSuccessMarkers: ['KEPT'] } };
    const sample = sampleRepository({ config: { memoryPolicyByCadence } });
    const ran = await cycleIn(sample);
    const reason = 'Required memory steps not verified';
    const detail = 'Missing evidence for: store';
    expect(ran).toMatchObject({ code: 1, status: 'failed', agent: 'audit-agent', reason, detail });
    expect(ran.log.failure_category).toBe('prompt_schema_error');
    expect(sample.calls().some((call) => call.startsWith('complete'))).toBe(false);
  });

  it('T4 optional memory evidence is missing: a warning, and on', async () => {
    const memoryPolicyByCadence = {
      daily: { retrieveSuccessMarkers: ['A'], storeSuccessMarkers: ['B'] },
    };
    const sample = sampleRepository({ config: { memoryPolicyByCadence } });
    const ran = await cycleIn(sample);
    expect(ran.code).toBe(0);
    expect(ran.err).toContain('Missing evidence for: retrieve, store');
  });

  it('T4 an artifact written since the run began is evidence too', async () => {
    const memoryPolicyByCadence = {
      daily: {
        ...{ mode: 'required', retrieveCommand: 'mkdir -p mem; touch mem/in' },
        storeCommand: 'echo KEPT',
        ...{ retrieveSuccessMarkers: ['A'], retrieveArtifacts: ['mem/in'] },
        storeSuccessMarkers: ['KEPT'],
      },
    };
    const sample = sampleRepository({ config: { memoryPolicyByCadence } });
    expect((await cycleIn(sample)).code).toBe(0);
  });

  it('T4 artifacts are missing, by our verifier: schema error, exit 1', async () => {
    const sample = sampleRepository({ config: { handoffCommandByCadence: { daily: 'true' } } });
    const ran = await cycleIn(sample);
    const reason = 'Missing required run artifacts';
    expect(ran).toMatchObject({ code: 1, status: 'failed', agent: 'audit-agent', reason });
    expect(ran.log.failure_category).toBe('prompt_schema_error');
    expect(ran.detail).toContain('src/context/CONTEXT_');
  });

  it('T4 the verifier of the repository decides where there is one', async () => {
    const sample = sampleRepository({ config: { handoffCommandByCadence: { daily: 'true' } } });
    sample.write(
      'scripts/agent/verify-run-artifacts.mjs',
      `import { writeFileSync } from 'node:fs';
writeFileSync('verifier-args', JSON.stringify(process.argv.slice(2)));
console.error('- src/context: api_key=abcdef1234 is missing');
process.exit(Number(process.env.SCHEDULER_TEST_EXIT));\n`,
    );
    const ran = await cycleIn(sample, { env: { SCHEDULER_TEST_EXIT: '5' } });
    const reason = 'Missing required run artifacts';
    expect(ran).toMatchObject({ code: 5, status: 'failed', agent: 'audit-agent', reason });
    expect(ran.detail).toBe('- src/context: api_key=[REDACTED] is missing');
    const args = JSON.parse(sample.read('verifier-args'));
    const start = new Date(ran.startedAt ?? 0).toISOString();
    expect(args).toEqual([
      ...['--since', start, '--agent', 'audit-agent', '--cadence', 'daily'],
      ...['--prompt-path', ran.promptPath, '--run-start', start, '--check-failure-notes'],
    ]);
    const well = await cycleIn(sample, { env: { SCHEDULER_TEST_EXIT: '0' } });
    expect(well).toMatchObject({ code: 0, agent: 'ci-agent' });
  });

  it('T4 a validation command fails: execution error, its exit code; the rest is not run', async () => {
    const validationCommandsByCadence = { daily: ['true', 'node -e process.exit(6)', 'touch no'] };
    const sample = sampleRepository({ config: { validationCommandsByCadence } });
    const ran = await cycleIn(sample);
    const reason = 'Validation failed';
    expect(ran).toMatchObject({ code: 6, status: 'failed', agent: 'audit-agent', reason });
    expect(ran.detail).toContain('node -e process.exit(6)');
    expect(ran.log.failure_category).toBe('execution_error');
    expect(existsSync(join(sample.root, 'no'))).toBe(false);
    expect(sample.calls().some((call) => call.startsWith('complete'))).toBe(false);
  });

  it('T4 validation is npm run lint unless told otherwise', async () => {
    const sample = sampleRepository({ config: { validationCommandsByCadence: {} } });
    const ran = await cycleIn(sample);
    expect(ran).toMatchObject({ code: 1, reason: 'Validation failed' });
    expect(ran.detail).toContain('npm run lint');
  });

  it('T4 a completion that fails: failed, its exit code, and how to retry', async () => {
    const sample = sampleRepository();
    sample.answer('complete', [2]);
    const ran = await cycleIn(sample);
    expect(ran).toMatchObject({ code: 2, status: 'failed', agent: 'audit-agent' });
    expect(ran.reason).toBe(
      'Completion publish failed. Retry npm run lock:complete -- --agent audit-agent --cadence daily after verifying relay connectivity',
    );
    expect(sample.logs()).toEqual(oneLog('audit-agent', 'failed'));
  });

  it('T1 a folder of logs that cannot be written: told, exit 2, nothing run', async () => {
    const sample = sampleRepository();
    mkdirSync(join(sample.root, 'task-logs'));
    writeFileSync(join(sample.root, 'task-logs/daily'), 'a file');
    const ran = await cycleIn(sample);
    expect(ran).toMatchObject({ code: 2, status: 'failed', agent: 'scheduler', logFile: null });
    expect(ran.err).toContain('The log could not be written');
    expect(sample.calls()).toEqual([]);
  });
});
