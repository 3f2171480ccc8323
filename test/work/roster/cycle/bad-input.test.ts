import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../../main/base/clock.ts';
import { cycleIn, type Ran, type Sample, sampleRepository } from './sample-repository.ts';

/** Refused with one line, before anything was written or asked. */
function expectRefused(sample: Sample, ran: Ran, message: RegExp): void {
  expect(ran).toMatchObject({ code: 1, status: 'refused', logFile: null, out: '', err: '' });
  expect(ran.refused?.message).toMatch(message);
  expect(ran.refused?.message).not.toContain('\n');
  expect(sample.calls()).toEqual([]);
  expect(existsSync(join(sample.root, 'task-logs'))).toBe(false);
  expect(existsSync(join(sample.root, 'memory-updates'))).toBe(false);
}

describe('a cycle refuses', () => {
  it.each([
    ['no roster', null, /there is no roster: .*src\/prompts\/roster\.json/],
    ['a broken roster', '{"daily": [', /roster\.json is not valid JSON: .* row 1/],
    ['a roster of another form', '{"daily": "a"}', /roster\.json: daily must be a list/],
    ['an empty roster', '{"daily": []}', /No roster entries for cadence daily/],
    ['none for this cadence', '{"weekly": ["w"]}', /No roster entries for cadence daily/],
    ['a name twice', '{"daily": ["a", "b", "a"]}', /lists "a" twice/],
    ['a name with _', '{"daily": ["a_b"]}', /"a_b" must not contain "_"/],
    ['a name with /', '{"daily": ["a/b"]}', /"a\/b" may hold letters/],
    ['a name with ..', '{"daily": ["a..b"]}', /"a..b" must not contain "\.\."/],
    ['a name that leads out', '{"daily": ["../../x"]}', /"\.\.\/\.\.\/x" must not/],
  ])('T1 %s', async (_, roster, message) => {
    const sample = sampleRepository();
    if (roster === null) rmSync(join(sample.root, 'src/prompts/roster.json'));
    else sample.write('src/prompts/roster.json', roster);
    expectRefused(sample, await cycleIn(sample), message);
  });

  it.each([
    ['that is no JSON', '{"scheduler": ', /torch-config\.json is not valid JSON/],
    [
      'with a wrong value',
      '{"scheduler":{"max_deferrals":-1}}',
      /scheduler\.max_deferrals must be 0/,
    ],
  ])('T1 a configuration %s', async (_, config, message) => {
    const sample = sampleRepository();
    sample.write('torch-config.json', config);
    expectRefused(sample, await cycleIn(sample), message);
  });

  it('T1 a variable that cannot be understood', async () => {
    const sample = sampleRepository();
    const ran = await cycleIn(sample, { env: { SCHEDULER_MAX_DEFERRALS: 'many' } });
    expectRefused(sample, ran, /^SCHEDULER_MAX_DEFERRALS must be/);
  });
});

describe('a prompt', { timeout: 120_000 }, () => {
  it.each([
    ['is a folder', 'prompt_parse_error'],
    ['is a link to itself', 'prompt_parse_error'],
    ['is empty', 'prompt_schema_error'],
    ['is of 5 MB', null],
  ])('T1 that %s', async (what, category) => {
    const sample = sampleRepository();
    const path = 'src/prompts/daily/audit-agent.md';
    rmSync(join(sample.root, path));
    if (what === 'is a folder') mkdirSync(join(sample.root, path));
    else if (what === 'is a link to itself') symlinkSync('audit-agent.md', join(sample.root, path));
    else sample.write(path, what === 'is empty' ? '' : `# long\n${'x'.repeat(5_000_000)}\n`);
    const ran = await cycleIn(sample);
    expect(ran).toMatchObject({ code: category ? 1 : 0, agent: 'audit-agent' });
    expect(ran.log.failure_category ?? null).toBe(category);
  });
});

describe('a handoff', { timeout: 180_000 }, () => {
  const REASON = 'Prompt/handoff execution failed';

  it.each([
    ['is not found', 'no-such-agent --go', 127, 'exit code 127'],
    ['exits 1', 'echo oops >&2; exit 1', 1, 'exit code 1'],
    ['is killed', 'kill -9 $$', 1, 'It was ended by SIGKILL.'],
  ])('T5 that %s: execution error', async (_, command, code, detail) => {
    const sample = sampleRepository({ config: { handoffCommandByCadence: { daily: command } } });
    const ran = await cycleIn(sample);
    expect(ran).toMatchObject({ code, status: 'failed', agent: 'audit-agent', reason: REASON });
    expect(ran.log.failure_category).toBe('execution_error');
    expect(ran.detail).toContain(detail);
  });

  it.each([
    ['never ends', 'sleep 600'],
    ['forks', 'for i in 1 2 3; do (setsid sleep 600 &); sleep 600 & done; sleep 600'],
  ])('T5 that %s is ended whole at its time limit', async (_, daily) => {
    const sample = sampleRepository({ config: { handoffCommandByCadence: { daily } } });
    const ran = await cycleIn(sample, { handoffLimitMs: 2_000 });
    expect(ran).toMatchObject({ code: 1, status: 'failed', agent: 'audit-agent', reason: REASON });
    expect(ran.detail).toContain('It took longer than 2 s and was ended.');
    expect(sample.calls().some((call) => call.startsWith('complete'))).toBe(false);
  });

  it('T5 of a platform whose program is not there says so', async () => {
    const sample = sampleRepository({ config: { handoffCommandByCadence: {} } });
    const env = { PATH: `${sample.root}:/usr/bin:/bin` };
    const none = await cycleIn(sample, { platform: 'codex', env });
    expect(none).toMatchObject({ code: 127, reason: REASON });
    expect(none.detail).toContain('There is no program "codex" on the PATH.');

    sample.write(
      'claude',
      '#!/bin/bash\n[ "$1" = -p ] && [ "$2" = "$(cat "$SCHEDULER_PROMPT_PATH")" ] || [ "$2" = "$(cat "$SCHEDULER_PROMPT_PATH")\n" ] && exec bash agent.sh; exit 9\n',
    );
    chmodSync(join(sample.root, 'claude'), 0o755);
    expect(await cycleIn(sample, { platform: 'claude', env })).toMatchObject({ code: 0 });
  });
});

describe('a cycle that is stopped', { timeout: 120_000 }, () => {
  it('T5 while the agent runs: ended whole, failed, logged', async () => {
    const daily = 'echo on; (setsid sleep 600 &) ; sleep 600';
    const sample = sampleRepository({ config: { handoffCommandByCadence: { daily } } });
    const stop = new AbortController();
    const ran = await cycleIn(sample, {
      signal: stop.signal,
      onLine: (line) => line === '[handoff] on' && stop.abort('the owner came back'),
    });
    expect(ran).toMatchObject({ code: 1, status: 'failed', agent: 'audit-agent' });
    expect(ran.log).toMatchObject({
      reason: 'Prompt/handoff execution failed',
      failure_category: 'execution_error',
      detail: expect.stringContaining('It was stopped: the owner came back.'),
    });
    expect(sample.calls().some((call) => call.startsWith('complete'))).toBe(false);
  });

  it.each([
    ['check', ''],
    ['lock', 'trap "" TERM; '],
  ])('T5 during the %s: nobody’s run, and no script is left behind', async (command, trap) => {
    const sample = sampleRepository();
    const hangs = `if [ $1 = ${command} ]; then ${trap}echo on; sleep 600; fi`;
    sample.write('lock.sh', sample.read('lock.sh').replace('\n', `\n${hangs}\n`));
    const stop = new AbortController();
    const ran = await cycleIn(sample, {
      signal: stop.signal,
      onLine: (line) => line.endsWith('] on') && stop.abort('SIGTERM'),
    });
    expect(ran).toMatchObject({ code: 1, status: 'failed', agent: 'scheduler' });
    expect(ran.log).toMatchObject({
      agent: 'scheduler',
      reason: 'Failed to acquire lock',
      detail: 'It was stopped: SIGTERM. Prompt not executed.',
    });
    expect(existsSync(join(sample.root, 'agent-env'))).toBe(false);
  });
});

describe('a lock', { timeout: 120_000 }, () => {
  it('T1 that never answers is not waited for without end', async () => {
    const sample = sampleRepository();
    const real = systemClock();
    const ends = new Set<() => void>();
    const timer = (ms: number, run: () => void) => {
      if (ms !== 600_000) return real.timer(ms, run);
      ends.add(run);
      return () => void ends.delete(run);
    };
    const hangs = 'if [ $1 = lock ]; then echo on; sleep 600; fi';
    sample.write('lock.sh', sample.read('lock.sh').replace('\n', `\n${hangs}\n`));
    const ran = await cycleIn(sample, {
      clock: { ...real, timer },
      onLine(line) {
        if (line.endsWith('] on')) for (const end of ends) end();
      },
    });
    expect(ran).toMatchObject({ code: 2, status: 'failed', reason: 'Lock backend error' });
    expect(ran.log.lock_stderr_excerpt).toContain('It took longer than 10 min and was ended.');
  });
});

describe('two cycles in one repository', { timeout: 120_000 }, () => {
  it('T1 at once leave two logs and two runs, neither in the other’s way', async () => {
    const sample = sampleRepository();
    // The lock of the two is one file: who makes it has the agent.
    sample.write(
      'lock.sh',
      `#!/bin/bash
case $1 in
  check) echo '{"excluded":[]}' ;;
  lock) mkdir "lock-$3" 2>/dev/null || exit 3 ;;
esac
exit 0\n`,
    );
    const ran = await Promise.all([cycleIn(sample), cycleIn(sample)]);
    expect(ran.map(({ code }) => code)).toEqual([0, 0]);
    expect(ran.map(({ agent }) => agent).sort()).toEqual(['audit-agent', 'ci-agent']);
    expect(sample.logs()).toHaveLength(2);
  });

  it('T1 that both find nothing to do in the same second leave both their logs', async () => {
    const sample = sampleRepository();
    sample.answer('check', [0], '{"excluded":["audit-agent","ci-agent","docs-agent"]}');
    const clock = { ...systemClock(), now: () => Date.parse('2026-02-20T07:00:00Z') };
    await Promise.all([cycleIn(sample, { clock }), cycleIn(sample, { clock })]);
    expect(sample.logs()).toEqual([
      '2026-02-20T07-00-00Z__scheduler__failed.md',
      '2026-02-20T07-00-01Z__scheduler__failed.md',
    ]);
  });
});
