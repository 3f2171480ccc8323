import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { handoffCommand } from '../../../../main/work/roster/cycle/handoff.ts';
import { checkPrompt } from '../../../../main/work/roster/cycle/prompt.ts';
import { temporaryFolder } from '../../../support/store.ts';

const command = (
  configured: string | null,
  platform: string,
  prompt = '# x',
  env: NodeJS.ProcessEnv = {},
) => handoffCommand(configured, env, platform, 'daily', prompt);

describe('what a prompt is handed to', () => {
  it('T5 the configured command goes before all others', () => {
    expect(command('do it', 'claude', '# x', { SCHEDULER_AGENT_RUNNER_COMMAND: 'y' })).toEqual({
      ok: true,
      value: { program: 'bash', args: ['-lc', 'do it'], env: {} },
    });
  });

  it('T5 then the runner of the environment, with the prompt in a variable', () => {
    const env = { SCHEDULER_AGENT_RUNNER_COMMAND: ' run it ' };
    const variables = { SCHEDULER_PROMPT_MARKDOWN: '# x' };
    expect(command(null, 'linux', '# x', env)).toEqual({
      ok: true,
      value: { program: 'bash', args: ['-lc', 'run it'], env: variables },
    });
    const long = command(null, 'linux', `# ${'x'.repeat(200_000)}`, env);
    expect(long).toMatchObject({ ok: true, value: { env: {} } });
  });

  it.each([
    ['claude', 'claude', ['-p', '# x']],
    ['Codex', 'codex', ['exec', '# x']],
  ])('T5 then the agent of the platform %s', (platform, program, args) => {
    expect(command(null, platform)).toEqual({ ok: true, value: { program, args, env: {} } });
  });

  it('T5 a prompt too long for an argument is refused with the remedy', () => {
    expect(command(null, 'claude', `# ${'x'.repeat(5_000_000)}`)).toMatchObject({
      ok: false,
      message: 'a prompt of 5001 kB cannot be given as an argument',
      hint: 'set scheduler.handoffCommandByCadence.daily in torch-config.json',
    });
  });

  it('T5 nothing for other platforms', () => {
    expect(command(null, 'constructor')).toMatchObject({
      ok: false,
      message: 'there is no handoff command for "constructor"',
    });
  });
});

describe('a prompt', () => {
  function check(text: string | Uint8Array) {
    const path = join(temporaryFolder(), 'a.md');
    writeFileSync(path, text);
    return checkPrompt(path);
  }

  it.each([
    ['a heading', '# a'],
    ['a quotation', '> a'],
    ['after empty lines', '\n \t\r\n  # a'],
    ['after a byte order mark', '\uFEFF# a'],
    ['of 5 MB', `# a\n${'x'.repeat(5_000_000)}`],
  ])('T1 is taken: %s', (_, text) => {
    expect(check(text)).toEqual({ ok: true, text });
  });

  it.each([
    ['empty', ''],
    ['blank', ' \n\n'],
    ['prose', 'Please\n# a'],
  ])('T1 is refused: %s', (_, text) => {
    expect(check(text)).toMatchObject({ ok: false, category: 'prompt_schema_error' });
  });

  it('T1 that cannot be read is told apart: none, a folder, a pipe, far too large', () => {
    const dir = temporaryFolder();
    execFileSync('mkfifo', [join(dir, 'pipe')]);
    for (const path of [join(dir, 'none.md'), dir, join(dir, 'pipe')]) {
      expect(checkPrompt(path)).toMatchObject({ ok: false, category: 'prompt_parse_error' });
    }
    expect(check(new Uint8Array(20_000_001))).toMatchObject({ category: 'prompt_parse_error' });
  });
});
