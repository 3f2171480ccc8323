import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Home } from '../../../main/base/home.ts';
import { createHome } from '../../../main/base/home.ts';
import { CLI } from '../../support/built.ts';
import { temporaryHome } from '../support.ts';

function run(home: Home, args: string[]): ChildProcess {
  const child = spawn(process.execPath, [CLI, ...args, '--home', home.dir], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

async function lull(home: Home, ...args: string[]) {
  const child = run(home, args);
  let out = '';
  let err = '';
  child.stdout?.on('data', (part) => {
    out += part;
  });
  child.stderr?.on('data', (part) => {
    err += part;
  });
  const [code] = await once(child, 'close');
  return { code: code as number, out, err, json: () => JSON.parse(out) };
}

interface Running {
  process: ChildProcess;
  link: string;
}

/** Starts the real host, with an owner who is here, so that heavy work waits. */
async function startHost(home: Home): Promise<Running> {
  createHome(home);
  const facts = join(home.dir, 'facts.json');
  writeFileSync(facts, JSON.stringify({ idleSeconds: 3, powerSource: 'mains', onBattery: false }));
  const host = run(home, ['start', '--no-open', '--model', 'offline', '--facts', facts]);
  const lines = createInterface({ input: host.stdout as NodeJS.ReadableStream });
  const said: string[] = [];
  for await (const line of lines) {
    said.push(line);
    if (said.length === 2) break;
  }
  expect(said[0]).toBe('Lull is running');
  return { process: host, link: String(said[1]) };
}

describe('a whole Lull by its command line', () => {
  it('D8 runs, is asked over socket and loopback, refuses a second, survives a kill, stops', async () => {
    const home = temporaryHome();
    const first = await startHost(home);

    const status = (await lull(home, 'status', '--json')).json();
    expect(status).toMatchObject({
      host: { pid: first.process.pid, home: home.dir },
      paused: { all: null, heavy: null },
      queue: { running: 0 },
    });
    const added = await lull(home, 'add', 'Summarise', 'the', 'week', '--json');
    expect(added).toMatchObject({ code: 0, err: '' });
    const { job } = added.json();
    expect((await lull(home, 'jobs', 'list', '--state', 'queued', '--json')).json()).toMatchObject([
      { id: job, tier: 'synthesis', state: 'queued' },
    ]);
    expect((await lull(home, 'why', String(job), '--json')).json()).toMatchObject([{ job }]);

    const entered = await fetch(first.link, { redirect: 'manual' });
    expect(entered.status).toBe(303);
    const cookie = String(entered.headers.get('set-cookie')).split(';')[0] as string;
    const { origin } = new URL(first.link);
    const reply = await fetch(`${origin}/api/jobs.show`, {
      method: 'POST',
      headers: { cookie, origin, 'content-type': 'application/json' },
      body: JSON.stringify({ id: job }),
    });
    expect(await reply.json()).toMatchObject({ ok: true, value: { prompt: 'Summarise the week' } });
    expect((await lull(home, 'open', '--no-open')).out).toMatch(`${origin}/enter?token=`);

    // Nothing the host does may touch the lock file by itself: one read would drop the lock.
    expect((await lull(home, 'doctor', '--json')).json().checks).not.toHaveLength(0);
    const second = await lull(home, 'start', '--no-open');
    expect(second).toMatchObject({ code: 3, out: '' });
    expect(second.err).toMatch(`another Lull (pid ${first.process.pid}, version `);

    first.process.kill('SIGKILL');
    await once(first.process, 'exit');
    const third = await startHost(home); // at once: the dead one's lock and socket are no hindrance
    expect((await lull(home, 'jobs', 'show', String(job), '--json')).json().state).toBe('queued');
    third.process.kill('SIGTERM');
    expect(await once(third.process, 'exit')).toEqual([0, null]);
    expect(existsSync(home.hostFile)).toBe(false);
    expect(existsSync(home.socket)).toBe(false);
  });

  it('D8 works without a host: changes under the lock, reads without it, one line for the rest', async () => {
    const home = temporaryHome();
    expect(await lull(home, 'jobs', 'list')).toMatchObject({ code: 1, out: '' });
    expect(existsSync(home.dir)).toBe(false);
    expect(await lull(home, 'pause', '--heavy', '--for', '1h')).toMatchObject({ code: 0, err: '' });
    const status = (await lull(home, 'status', '--json')).json();
    expect(status).toMatchObject({ host: null, paused: { all: null, heavy: {} } });
    const both = await Promise.all([lull(home, 'add', 'one'), lull(home, 'add', 'two')]);
    expect(both.map(({ code, err }) => [code, err])).toEqual([
      [0, ''],
      [0, ''],
    ]);
    expect((await lull(home, 'jobs', 'list', '--json')).json()).toHaveLength(2);
    expect(existsSync(home.hostFile)).toBe(false);

    writeFileSync(home.config, '{ "power": { "florPercent": 3 } }');
    const wrong = await lull(home, 'resume');
    expect(wrong).toMatchObject({ code: 1, out: '' });
    expect(wrong.err).toMatch(
      /^lull: config\.json: unknown key "power\.florPercent" - did you[^\n]*\n$/,
    );
    const refused = await lull(home, 'start', '--no-open');
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err).toMatch(/^lull: config\.json: [^\n]*\n$/);
    expect(readFileSync(home.config, 'utf8')).toMatch(/florPercent/);
  });
});
