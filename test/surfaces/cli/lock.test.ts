import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CLI } from '../../support/built.ts';
import { BARE_ENV } from '../../support/compiled.ts';
import { put, relays } from '../../support/relay/fleet.ts';
import { temporaryFolder } from '../../support/store.ts';

/** A repository with a roster, and a home of its own. */
function repository() {
  const root = temporaryFolder();
  const home = temporaryFolder();
  put(root, 'src/prompts/roster.json', '{"daily": ["audit-agent", "docs-agent"]}');
  async function lull(args: string[], env: Record<string, string> = {}) {
    const child = spawn(process.execPath, [CLI, ...args], {
      cwd: root,
      env: { ...BARE_ENV, HOME: home, LULL_HOME: home, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let out = '';
    let err = '';
    child.stdout.on('data', (part) => {
      out += part;
    });
    child.stderr.on('data', (part) => {
      err += part;
    });
    const [code] = await once(child, 'close');
    return { code, out, err };
  }
  return { root, lull };
}

describe('lull lock', () => {
  it('T2 acquires, denies, completes across processes, over relays, without a running Lull', async () => {
    const [relay] = await relays(1);
    const { root, lull } = repository();
    put(root, 'torch-config.json', JSON.stringify({ nostrLock: { relays: [relay?.url] } }));
    spawnSync('git', ['init', '-q'], { cwd: root });
    const ask = (...args: string[]) =>
      lull(['lock', ...args, '--cadence', 'daily'], { AGENT_PLATFORM: 'goose' });

    const got = await ask('acquire', '--agent', 'docs-agent', '--model', 'm1');
    expect(got.code).toBe(0);
    const lines = got.out.trimEnd().split('\n');
    expect(lines.map((line) => line.split('=')[0])).toEqual([
      ...['LOCK_STATUS', 'LOCK_EVENT_ID', 'LOCK_PUBKEY', 'LOCK_AGENT', 'LOCK_HASHTAG'],
      ...['LOCK_CADENCE', 'LOCK_DATE', 'LOCK_EXPIRES', 'LOCK_EXPIRES_ISO'],
    ]);
    expect(lines[0]).toBe('LOCK_STATUS=ok');
    expect(lines[4]).toBe('LOCK_HASHTAG=torch-agent-lock');
    expect(got.err).toContain('A relay sees the address of this machine.');
    expect(JSON.parse(relay?.stored()[0]?.content ?? '')).toMatchObject({
      platform: 'goose',
      model: 'm1',
    });

    expect(await ask('acquire', '--agent', 'docs-agent', '--quiet')).toMatchObject({
      code: 3,
      out: expect.stringContaining(
        'LOCK_STATUS=denied\nLOCK_REASON=already_locked\nLOCK_EXISTING_EVENT=',
      ),
      err: '',
    });
    const seen = await ask('check', '--json', '--quiet');
    expect(seen).toMatchObject({ code: 0, err: '' });
    expect(seen.out).toMatch(/^\{[^\n]*\}\n$/);
    expect(Object.keys(JSON.parse(seen.out))).toEqual([
      ...['namespace', 'cadence', 'date', 'locked', 'paused', 'completed', 'excluded'],
      ...['available', 'lockCount', 'unknownLockedAgents', 'locks'],
    ]);
    expect(JSON.parse(seen.out).available).toEqual(['audit-agent']);
    const list = await lull(['lock', 'list']);
    expect(list.out).toMatch(
      /^AGENT +CADENCE .*\ndocs-agent +daily +\S+ +running .* goose +yes\n$/,
    );

    expect(await ask('complete', '--agent', 'docs-agent')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^LOCK_STATUS=completed\n/),
    });
    expect((await ask('complete', '--agent', 'docs-agent')).code).toBe(0);
    expect(await ask('complete', '--agent', 'audit-agent')).toMatchObject({
      code: 1,
      out: '',
      err: 'There is no lock on audit-agent to complete - acquire it first\n',
    });
    expect(await ask('health')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^\{"ok":true,[^\n]*\}\n$/),
    });
  }, 120_000);

  it('T2 usage, roster and configuration are refused in one line, exit 1; relays that are down, exit 2', async () => {
    const { root, lull } = repository();
    const down = { NOSTR_LOCK_RELAYS: 'ws://127.0.0.1:1' };
    const refused = async (line: string, env: Record<string, string> = {}) => {
      const { code, out, err } = await lull(['lock', ...line.split(' ')], env);
      expect({ code, out }).toEqual({ code: 1, out: '' });
      expect(err).toMatch(/^[^\n]+\n$/);
      return err;
    };
    expect(await refused('acquire --cadence daily')).toBe('lull: --agent is missing\n');
    expect(await refused('check')).toBe('lull: --cadence is missing\n');
    expect(await refused('check --cadence hourly')).toContain('Allowed choices are daily, weekly.');
    expect(await refused('acquire --cadence daily --agent x_y', down)).toContain(
      '"x_y" is not in the daily roster',
    );
    put(root, 'torch-config.json', '{"nostrLock": {"ttlSeconds": "long"}}');
    expect(await refused('check --cadence daily')).toMatch(
      /^lull: \/.*torch-config.json: nostrLock.ttlSeconds must be a number\n$/,
    );
    put(root, 'torch-config.json', '{}');
    const failed = await lull(['lock', 'check', '--cadence', 'daily', '--json', '--quiet'], down);
    expect(failed).toMatchObject({ code: 2, out: '' });
    expect(failed.err).toMatch(/error_category=websocket_connection_refused_or_dns\n$/);
  }, 120_000);

  it('T2 a relay that never answers does not keep the command from ending', async () => {
    const [relay] = await relays(1);
    const mute = createServer((socket) => socket.on('error', () => {})).listen(0, '127.0.0.1');
    await once(mute, 'listening');
    onTestFinished(() => void mute.close());
    const silent = `ws://127.0.0.1:${(mute.address() as AddressInfo).port}`;
    const { lull } = repository();
    const ran = await lull(['lock', 'acquire', '--cadence', 'daily', '--agent', 'docs-agent'], {
      NOSTR_LOCK_RELAYS: `${relay?.url},${silent}`,
      NOSTR_LOCK_QUERY_TIMEOUT_MS: '8000',
      NOSTR_LOCK_PUBLISH_TIMEOUT_MS: '120000', // longer than this test may take
    });
    expect(ran.code).toBe(0);
    expect(ran.err).toContain(`${silent}: no connection in 8000 ms`);
  }, 100_000);

  it('T2 --local is the same lock without relays', async () => {
    const { lull } = repository();
    const ask = (name: string, ...args: string[]) =>
      lull(['lock', name, '--local', '--cadence', 'daily', ...args]);
    expect((await ask('acquire', '--agent', 'docs-agent')).out).toMatch(/^LOCK_STATUS=ok\n/);
    expect((await ask('acquire', '--agent', 'docs-agent')).code).toBe(3);
    expect((await ask('complete', '--agent', 'docs-agent')).code).toBe(0);
    expect(JSON.parse((await ask('check')).out).locked).toEqual(['docs-agent']);
  }, 120_000);
});
