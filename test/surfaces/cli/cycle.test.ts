import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { CLI } from '../../support/built.ts';
import { BARE_ENV } from '../../support/compiled.ts';
import { relays } from '../../support/relay/fleet.ts';
import { temporaryFolder } from '../../support/store.ts';
import {
  processesIn,
  type Sample,
  sampleRepository,
} from '../../work/roster/cycle/sample-repository.ts';

const ALL_LOCK_SCRIPTS = ['lock:check:daily', 'lock:lock', 'lock:complete', 'lock:health'];

/** A machine with a home of its own; `lull` in the repository. */
function machine(sample: Sample) {
  const home = temporaryFolder();
  return (...args: string[]): ChildProcess => {
    const child = spawn(process.execPath, [CLI, ...args], {
      cwd: sample.root,
      env: { ...BARE_ENV, HOME: home, LULL_HOME: join(home, 'lull') },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    return child;
  };
}

async function ended(child: ChildProcess): Promise<{ code: number; out: string; err: string }> {
  const texts = { out: '', err: '' };
  child.stdout?.setEncoding('utf8').on('data', (part) => (texts.out += part));
  child.stderr?.setEncoding('utf8').on('data', (part) => (texts.err += part));
  const [code] = await once(child, 'close');
  return { code, ...texts };
}

/** A repository without scripts for the lock: ours is used, with these relays. */
function repository(relayUrls: readonly string[], scheduler: object = {}): Sample {
  const sample = sampleRepository({ without: ALL_LOCK_SCRIPTS, config: { ...scheduler } });
  const config = JSON.parse(sample.read('torch-config.json'));
  config.nostrLock = { relays: relayUrls, namespace: 'garden', queryTimeoutMs: 20_000 };
  sample.write('torch-config.json', JSON.stringify(config));
  return sample;
}

describe.runIf(process.platform === 'linux')('lull cycle', { timeout: 120_000 }, () => {
  it('T1 runs the next agent of the repository it is called in, locked over a real relay', async () => {
    const [relay] = await relays(1);
    const sample = repository([relay?.url ?? '']);
    const [one, other] = [machine(sample), machine(sample)];
    const first = await ended(one('cycle', 'daily', '--platform', 'claude', '--model', 'opus'));
    expect(first).toMatchObject({ code: 0 });
    expect(first.out).toContain('Status:    completed\nAgent:     audit-agent\n');
    expect(first.out).toContain('[handoff] MEMORY_STORED');
    expect(first.err).toContain('[lock] ');
    expect(sample.logs()).toEqual([expect.stringMatching(/__audit-agent__completed\.md$/)]);

    const check = await ended(other('lock', 'check', '--cadence', 'daily', '--json', '--quiet'));
    expect(JSON.parse(check.out)).toMatchObject({ excluded: ['audit-agent'] });
    const second = await ended(other('cycle', 'daily'));
    expect(second).toMatchObject({ code: 0 });
    expect(second.out).toContain('Agent:     ci-agent\n');
  });

  it('T1 two at once on one machine, with its own lock, take different agents', async () => {
    const sample = repository([]);
    const lull = machine(sample);
    const ran = await Promise.all([1, 2].map(() => ended(lull('cycle', 'daily', '--local'))));
    expect(ran.map(({ code, out, err }) => (code === 0 ? 'done' : out + err))).toEqual([
      'done',
      'done',
    ]);
    const agents = sample.logs().map((name) => name.split('__')[1]);
    expect(agents.sort()).toEqual(['audit-agent', 'ci-agent']);
  });

  it('T1 with no relay to be reached: failed, exit 2, and why', async () => {
    const sample = repository(['ws://127.0.0.1:9']);
    const ran = await ended(machine(sample)('cycle', 'daily'));
    expect(ran).toMatchObject({ code: 2 });
    expect(ran.out).toContain('Reason:    Lock backend error');
    const log = readFileSync(join(sample.root, 'task-logs/daily', sample.logs()[0] ?? ''), 'utf8');
    expect(log).toContain("backend_category: 'websocket_connection_refused_or_dns'");
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('T5 on %s ends the agent whole, logs, and exits %i', async (signal, code) => {
    const daily = 'echo on; (setsid sleep 600 &); sleep 600';
    const sample = repository([], { handoffCommandByCadence: { daily } });
    const child = machine(sample)('cycle', 'daily', '--local');
    child.stdout?.on('data', (part) => {
      if (String(part).includes('[handoff] on')) child.kill(signal);
    });
    const ran = await ended(child);
    expect(ran.code).toBe(code);
    expect(ran.out).toContain(`It was stopped: ${signal}.`);
    expect(sample.logs()).toEqual([expect.stringMatching(/__audit-agent__failed\.md$/)]);
  });

  it('T5 killed, so that it can end nothing itself, leaves nothing of its agent at work', async () => {
    const daily = 'trap "" TERM; echo on; (setsid sleep 600 &); sleep 600';
    const sample = repository([], { handoffCommandByCadence: { daily } });
    const child = machine(sample)('cycle', 'daily', '--local');
    child.stdout?.on('data', (part) => {
      if (String(part).includes('[handoff] on')) child.kill('SIGKILL');
    });
    expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
    expect(processesIn(sample.root)).not.toEqual([]);
    await vi.waitFor(() => expect(processesIn(sample.root)).toEqual([]), { timeout: 60_000 });
  });

  it('T5 that is stopped does not wait for a relay that never answers', async () => {
    const asked = Promise.withResolvers<void>();
    const silent = createServer(() => asked.resolve()).listen(0, '127.0.0.1');
    onTestFinished(() => void silent.close());
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const sample = repository([`ws://127.0.0.1:${port}`]);
    const config = JSON.parse(sample.read('torch-config.json'));
    config.nostrLock.queryTimeoutMs = 120_000;
    sample.write('torch-config.json', JSON.stringify(config));
    const child = machine(sample)('cycle', 'daily');
    await asked.promise;
    const began = performance.now();
    child.kill('SIGINT');
    const ran = await ended(child);
    expect(ran).toMatchObject({ code: 130 });
    expect(ran.out).toContain('It was stopped: SIGINT. Prompt not executed.');
    expect(performance.now() - began).toBeLessThan(60_000);
  });

  it('T5 ends the agent at the time limit that was given', async () => {
    const sample = repository([], { handoffCommandByCadence: { daily: 'sleep 600' } });
    const ran = await ended(machine(sample)('cycle', 'daily', '--local', '--time-limit', '2s'));
    expect(ran).toMatchObject({ code: 1 });
    expect(ran.out).toContain('It took longer than 2 s and was ended.');
  });

  it('T5 what an agent prints is no order to the terminal', async () => {
    const sample = repository([], {
      handoffCommandByCadence: { daily: String.raw`printf '\033]0;x\007\033[2J'; exit 1` },
    });
    const ran = await ended(machine(sample)('cycle', 'daily', '--local'));
    expect(ran.out).not.toContain('\u001b');
    expect(ran.out).toContain('[handoff] \ufffd]0;x');
  });

  it('T1 refuses in one line what is wrong: exit 1', async () => {
    const sample = repository([]);
    const lull = machine(sample);
    expect(await ended(lull('cycle', 'hourly'))).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringMatching(/^lull: [^\n]*hourly[^\n]* daily, weekly\.\n$/),
    });
    sample.write('src/prompts/roster.json', '{"daily":["a_b"]}');
    expect(await ended(lull('cycle', 'daily'))).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringMatching(/^lull: [^\n]*"a_b" must not contain[^\n]* - rename it\n$/),
    });
  });
});
