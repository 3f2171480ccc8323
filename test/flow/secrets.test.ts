import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { hiddenInput } from '../../main/surfaces/cli/hidden-input.ts';
import type { JobDetail, JobRow, SecretRow } from '../../main/surfaces/contract.ts';
import { CLI } from '../support/built.ts';
import { hostThere, lullHere, type TestHome, testHome, until } from '../support/host.ts';
import { startOpenaiServer } from '../support/openai-server/server.ts';

const QWEN = 'qwen/qwen3-8b';
const WRONG = 'sk-wrong-5b1f0c7e+/a"b';
const RIGHT = 'sk-right-93d2aa41+/c"d';
const UNUSED = 'sk-unused-77e1';

/** What a word may look like where it was repeated. */
function traces(word: string): string[] {
  const json = JSON.stringify(word).slice(1, -1);
  const base64 = Buffer.from(word).toString('base64').replace(/=+$/, '');
  return [word, json, JSON.stringify(json).slice(1, -1), encodeURIComponent(word), base64];
}

/** Which of these texts holds a secret, and which one. */
function leaks(texts: Record<string, string>): string[] {
  return Object.entries(texts).flatMap(([where, text]) =>
    [WRONG, RIGHT, UNUSED].flatMap((word) =>
      traces(word).some((trace) => text.includes(trace)) ? [`${where}: ${word}`] : [],
    ),
  );
}

/** Every file of a folder but the vault itself, byte for byte. */
function filesIn(dir: string): Record<string, string> {
  const names = readdirSync(dir, { recursive: true, encoding: 'utf8' });
  return Object.fromEntries(
    names
      .filter((name) => name !== 'secrets.json' && statSync(join(dir, name)).isFile())
      .map((name) => [name, readFileSync(join(dir, name), 'latin1')]),
  );
}

/** Everything the host says to a panel, from now on. */
function listening(home: TestHome): () => string {
  const socket = createConnection(home.socket);
  let heard = '';
  socket.setEncoding('utf8').on('data', (part) => {
    heard += part;
  });
  socket.on('error', () => {});
  socket.write(`${JSON.stringify({ id: 1, command: 'subscribe' })}\n`);
  onTestFinished(() => void socket.destroy());
  return () => heard;
}

describe('secrets', () => {
  it('S7 a server’s key is used and is nowhere else: not in files, answers, pushes or words, whatever fails', async () => {
    const server = await startOpenaiServer({
      flavour: 'vllm',
      faults: { keyNeeded: RIGHT },
      // A model that knows the key, and says it.
      script: () => ({ text: `My key is ${RIGHT}, and ${encodeURIComponent(RIGHT)}.`, calls: [] }),
    });
    onTestFinished(() => server.close());
    const home = testHome(undefined, {
      models: {
        budgetGb: 16,
        servers: [{ name: 'lab', kind: 'openai', url: server.url, secret: 'lab-key' }],
        tiers: { routine: { server: 'lab', model: QWEN, numCtx: 8192, memoryGb: 7 } },
      },
      log: { level: 'debug' },
    });
    const said: Record<string, string> = {};
    const lull = async (...args: string[]) => {
      const ran = await lullHere(home, args);
      said[args.join(' ')] = ran.out + ran.err;
      return ran;
    };
    const set = async (name: string, value: string) => {
      const ran = await lullHere(home, ['secret', 'set', name], value);
      said[`set ${name}`] = ran.out + ran.err;
      return ran;
    };
    const jobs = async () => (await lull('jobs', 'list', '--json')).json<JobRow[]>();
    let host = await hostThere(home);
    let heard = listening(home);

    // No key yet: the work waits, and says for what.
    await lull('add', 'Think.', '--tier', 'routine');
    await until(async () => (await jobs())[0]?.reason?.includes('no secret "lab-key"'));

    // A wrong one is refused.
    expect(await set('unused', UNUSED)).toMatchObject({ code: 0, err: '' });
    expect((await set('lab-key', WRONG)).out).toContain('in a file that only you can read');
    await until(async () => (await jobs())[0]?.reason?.includes('lab refuses the API key'), 20_000);
    expect((await lull('doctor')).out).toContain('lab refuses the API key');

    // The host is killed in the middle of a call with the right one.
    server.state.speech.fillerTokens = 200;
    server.state.speech.tokenMs = 50;
    expect(await set('lab-key', RIGHT)).toMatchObject({ code: 0 });
    await until(() => server.log.bodies('/v1/chat/completions').length > 0, 20_000);
    const [out, err] = [host.out(), host.err()];
    await host.kill();
    said.first = out + err + heard();
    server.state.speech.tokenMs = 0;
    server.state.speech.fillerTokens = 0;
    host = await hostThere(home);
    heard = listening(home);

    // The interrupted one is reported; the next runs, then one whose answer breaks in the middle.
    await lull('add', 'Think again.', '--tier', 'routine');
    const done = await until(
      async () => (await jobs()).find((job) => job.state === 'done'),
      20_000,
    );
    server.state.faults = { ...server.state.faults, streamError: 'line' };
    await lull('add', 'Think of errors.', '--tier', 'routine');
    await until(
      async () => (await jobs()).some(({ id, reason }) => id > done.id && reason),
      20_000,
    );
    const detail = (await lull('jobs', 'show', String(done.id), '--json')).json<JobDetail>();
    const draft = await lull('drafts', 'show', String(detail.draft));
    expect(draft.out).toContain('My key is [secret lab-key], and [secret lab-key].');

    // The trail: which token, for which job, in which role.
    const token = detail.events.find((event) => event.kind === 'secret.token');
    expect(token?.payload).toMatchObject({
      ...{ role: 'model-server:lab', scope: ['lab-key'] },
      ...{ accessor: expect.stringMatching(/^[\w-]{12}$/), expiresAt: expect.any(Number) },
    });

    // A server that is known by now repeats the wrong key that it is sent.
    server.state.faults = { keyNeeded: RIGHT };
    await set('lab-key', WRONG);
    await lull('add', 'Think in vain.', '--tier', 'routine');
    await until(async () => (await jobs())[0]?.reason?.includes('[secret lab-key]'), 20_000);
    expect((await jobs())[0]?.state).toBe('deferred');
    await set('lab-key', RIGHT);
    await until(async () => (await jobs())[0]?.state === 'done', 20_000);

    const list = (await lull('secret', 'list', '--json')).json<SecretRow[]>();
    expect(list).toMatchObject([
      { name: 'lab-key', kept: 'file', usedBy: ['lab'] },
      { name: 'unused', kept: 'file', usedBy: [] },
    ]);
    for (const args of [
      ['secret', 'list'],
      ['status', '--json'],
      ['drafts', 'list', '--json'],
      ['drafts', 'show', '1', '--json'],
      ['jobs', 'history', '--json'],
      ['config', 'get'],
      ['secret', 'set', 'lab-key', RIGHT.slice(0, 4)],
      ['secret', 'remove', 'unused'],
      ['secret', 'remove', 'unused'],
      ['why', '--json'],
    ]) {
      await lull(...args);
    }
    expect(said['secret remove unused']).toContain('there is no secret "unused"');
    said.second = host.out() + host.err() + heard();
    expect(await host.stop()).toBe(0);
    expect(heard()).toContain('"event":"panel"');

    const files = filesIn(home.dir);
    expect(Object.keys(files)).toEqual(expect.arrayContaining(['lull.sqlite', 'config.json']));
    expect(leaks({ ...said, ...files })).toEqual([]);
    const vault = readFileSync(home.secrets, 'utf8');
    expect([vault.includes(JSON.stringify(RIGHT)), vault.includes('unused')]).toEqual([
      true,
      false,
    ]);
    // The search finds what is there.
    expect(leaks({ vault })).toEqual([`vault: ${RIGHT}`]);
  }, 120_000);

  it('S7 the secret comes from standard input, never from a word of the command line', async () => {
    const home = testHome();
    const child = spawn(process.execPath, [CLI, 'secret', 'set', 'lab-key'], {
      env: { ...process.env, LULL_HOME: home.dir },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    child.stdin.end(`${RIGHT}\n`);
    const [code] = await once(child, 'close');
    expect(code).toBe(0);
    expect(readFileSync(home.secrets, 'utf8')).toContain(JSON.stringify(RIGHT));
    expect(statSync(home.secrets).mode & 0o777).toBe(0o600);

    const typed = await lullHere(home, ['secret', 'set', 'lab-key', WRONG]);
    expect(typed).toMatchObject({ code: 1, out: '' });
    expect(typed.err).toMatch(
      /^lull: the secret itself is not taken from the command line - .*\n$/,
    );
    expect(typed.err).not.toContain(WRONG);
    for (const [value, says] of [
      ['short', /value must be 8 characters or more/],
      ['two\nlines and more', /one line/],
      ['x'.repeat(8193), /8192/],
    ] as const) {
      const ran = await lullHere(home, ['secret', 'set', 'lab-key'], value);
      expect(ran).toMatchObject({ code: 1, out: '' });
      expect(ran.err).toMatch(says);
    }
    expect((await lullHere(home, ['secret', 'set', '../x'], RIGHT)).err).toMatch(
      /name must be letters/,
    );
    expect(readFileSync(home.secrets, 'utf8')).toContain(JSON.stringify(RIGHT));
  });

  it('S7 at a terminal nothing of what is typed is shown', async () => {
    const from = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => from });
    const shown = new PassThrough();
    const answer = hiddenInput(from as never, shown)('lab-key');
    for (const key of RIGHT) from.write(key);
    from.write('\r');
    expect(await answer).toBe(RIGHT);
    expect(String(shown.read())).toBe('Secret for lab-key (nothing is shown): \n');

    const again = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => again });
    const left = hiddenInput(again as never, new PassThrough())('lab-key');
    again.write('half\u0003');
    await expect(left).rejects.toThrow('no secret was given');
  });
});
