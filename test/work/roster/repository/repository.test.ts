import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { faultOfAgentName } from '../../../../main/work/roster/repository/agent-name.ts';
import { readRepositoryConfig } from '../../../../main/work/roster/repository/config.ts';
import {
  notInRoster,
  readLockRoster,
  readRoster,
} from '../../../../main/work/roster/repository/roster.ts';
import { temporaryFolder } from '../../../support/store.ts';

const DEFAULT_LOCK = {
  namespace: 'torch',
  hashtag: 'torch-agent-lock',
  relays: ['wss://relay.damus.io', 'wss://nos.lol', 'wss://relay.primal.net'],
  relayFallbacks: [],
  ttlSeconds: 7200,
  queryTimeoutMs: 30_000,
  publishTimeoutMs: 15_000,
  minSuccessfulRelayPublishes: 1,
  minActiveRelayPool: 1,
  whenUnreachable: 'fail',
  rosters: { daily: null, weekly: null },
};

function write(root: string, name: string, content: unknown): string {
  const path = join(root, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

function read(config: unknown, env: NodeJS.ProcessEnv = {}) {
  const root = temporaryFolder();
  write(root, 'torch-config.json', config);
  return readRepositoryConfig(root, env);
}

function taken<T>(result: { ok: true; value: T } | { ok: false; message: string }): T {
  if (!result.ok) throw new Error(result.message);
  return result.value;
}

describe('the configuration of a repository', () => {
  it('T2 no file means the documented defaults', () => {
    const config = taken(readRepositoryConfig(temporaryFolder(), {}));
    expect(config.path).toBeNull();
    expect(config.lock).toEqual(DEFAULT_LOCK);
    expect(config.scheduler).toEqual({
      strictLock: true,
      degradedLockRetryWindowMs: 3_600_000,
      maxDeferrals: 3,
      lockRetry: { maxRetries: 2, backoffMs: 250, jitterMs: 75 },
      lockHealthPreflight: false,
      firstPrompt: { daily: null, weekly: null },
      handoffCommand: { daily: null, weekly: null },
      validationCommands: { daily: ['npm run lint'], weekly: ['npm run lint'] },
      memoryPolicy: {
        daily: {
          mode: 'optional',
          retrieveCommand: null,
          storeCommand: null,
          retrieveSuccessMarkers: ['MEMORY_RETRIEVED'],
          storeSuccessMarkers: ['MEMORY_STORED'],
          retrieveArtifacts: [],
          storeArtifacts: [],
        },
        weekly: expect.anything(),
      },
      paused: { daily: [], weekly: [] },
    });
  });

  it('T1 reads what existing repositories wrote: foreign keys, numbers and booleans as text', () => {
    const config = taken(
      read({
        $comment: 'ours',
        configVersion: 1,
        nostrLock: { namespace: 'garden', ttlSeconds: '3600', relays: ['ws://a'], other: {} },
        dashboard: { hashtag: 'garden-locks', defaultCadenceView: 'daily' },
        scheduler: {
          strict_lock: 'off',
          lockHealthPreflight: 1,
          handoffCommandByCadence: { daily: ' claude -p x ', weekly: null },
          validationCommandsByCadence: { daily: [] },
          firstPromptByCadence: { weekly: 'audit-agent' },
          memoryPolicyByCadence: { daily: { mode: 'required', storeCommand: '' } },
          paused: { daily: ['docs-agent'] },
        },
      }),
    );
    expect(config.lock).toMatchObject({
      namespace: 'garden',
      hashtag: 'garden-locks',
      ttlSeconds: 3600,
      relays: ['ws://a'],
    });
    expect(config.scheduler).toMatchObject({
      strictLock: false,
      lockHealthPreflight: true,
      handoffCommand: { daily: 'claude -p x', weekly: null },
      validationCommands: { daily: [], weekly: ['npm run lint'] },
      firstPrompt: { daily: null, weekly: 'audit-agent' },
      memoryPolicy: { daily: { mode: 'required', storeCommand: null } },
      paused: { daily: ['docs-agent'], weekly: [] },
    });
  });

  it('T1 the environment goes before the file, an empty variable does not', () => {
    const config = taken(
      read(
        { nostrLock: { namespace: 'garden', ttlSeconds: 60 }, scheduler: { max_deferrals: 9 } },
        {
          NOSTR_LOCK_NAMESPACE: 'orchard',
          NOSTR_LOCK_TTL: '',
          NOSTR_LOCK_RELAYS: 'ws://one, ws://two,',
          NOSTR_LOCK_RELAY_FALLBACKS: 'ws://three',
          NOSTR_LOCK_QUERY_TIMEOUT_MS: '100',
          NOSTR_LOCK_PUBLISH_TIMEOUT_MS: '200',
          NOSTR_LOCK_MIN_SUCCESSFUL_PUBLISHES: '2',
          NOSTR_LOCK_MIN_ACTIVE_RELAY_POOL: '2',
          NOSTR_LOCK_HASHTAG: 'orchard-locks',
          NOSTR_LOCK_DAILY_ROSTER: 'a, b',
          SCHEDULER_LOCK_MAX_RETRIES: '0',
          SCHEDULER_LOCK_BACKOFF_MS: '1',
          SCHEDULER_LOCK_JITTER_MS: '2',
          SCHEDULER_LOCK_HEALTH_PREFLIGHT: 'yes',
          SCHEDULER_STRICT_LOCK: '0',
          SCHEDULER_DEGRADED_LOCK_RETRY_WINDOW_MS: '3',
          SCHEDULER_MAX_DEFERRALS: '4',
        },
      ),
    );
    expect(config.lock).toEqual({
      namespace: 'orchard',
      hashtag: 'orchard-locks',
      relays: ['ws://one', 'ws://two'],
      relayFallbacks: ['ws://three'],
      ttlSeconds: 60,
      queryTimeoutMs: 100,
      publishTimeoutMs: 200,
      minSuccessfulRelayPublishes: 2,
      minActiveRelayPool: 2,
      whenUnreachable: 'fail',
      rosters: { daily: ['a', 'b'], weekly: null },
    });
    expect(config.scheduler).toMatchObject({
      strictLock: false,
      degradedLockRetryWindowMs: 3,
      maxDeferrals: 4,
      lockRetry: { maxRetries: 0, backoffMs: 1, jitterMs: 2 },
      lockHealthPreflight: true,
    });
  });

  it('T1 the preflight can be skipped though it is asked for', () => {
    const on = { scheduler: { lockHealthPreflight: true } };
    const skip = (word: string) =>
      taken(read(on, { SCHEDULER_SKIP_LOCK_HEALTH_PREFLIGHT: word })).scheduler.lockHealthPreflight;
    expect(skip('1')).toBe(false);
    expect(skip('no')).toBe(true);
  });

  it.each([
    ['{"nostrLock": {', "is not valid JSON: Expected property name or '}' at row 1, column 16"],
    ['5', 'the file must be an object'],
    [{ scheduler: [] }, 'scheduler must be an object'],
    [{ nostrLock: { ttlSeconds: 0 } }, 'nostrLock.ttlSeconds must be 1 or more'],
    [{ nostrLock: { queryTimeoutMs: 99 } }, 'nostrLock.queryTimeoutMs must be 100 or more'],
    [{ nostrLock: { publishTimeoutMs: 120_001 } }, 'nostrLock.publishTimeoutMs must be 120000 or'],
    [{ nostrLock: { relays: { a: 1 } } }, 'nostrLock.relays must be a list'],
    [{ scheduler: { strict_lock: 'maybe' } }, 'scheduler.strict_lock must be true or false'],
    [
      { scheduler: { memoryPolicyByCadence: { daily: { mode: 'must' } } } },
      'scheduler.memoryPolicyByCadence.daily.mode must be optional or required',
    ],
  ])('T1 a broken configuration is one clear line: %j', (config, words) => {
    const result = read(config);
    expect(result).toMatchObject({ ok: false, code: 'invalid' });
    expect(!result.ok && result.message).toMatch(/^\/.*torch-config\.json( |: )/);
    expect(!result.ok && result.message).toContain(words);
  });

  it('T1 a wrong variable is named, not the key behind it', () => {
    expect(read({}, { NOSTR_LOCK_TTL: 'soon' })).toMatchObject({
      ok: false,
      message: 'NOSTR_LOCK_TTL must be a number',
    });
    expect(read({}, { SCHEDULER_SKIP_LOCK_HEALTH_PREFLIGHT: 'perhaps' })).toMatchObject({
      ok: false,
      message: 'SCHEDULER_SKIP_LOCK_HEALTH_PREFLIGHT must be true or false',
    });
  });

  it('T1 is found where existing tools look', () => {
    const namespaceAt = (root: string, env = {}) =>
      taken(readRepositoryConfig(root, env)).lock.namespace;
    const parent = temporaryFolder();
    const torch = join(parent, 'torch');
    const other = join(parent, 'other');
    const named = (namespace: string) => ({ nostrLock: { namespace } });
    write(parent, 'torch-config.json', named('parent'));
    write(torch, 'torch-config.json', named('own'));
    mkdirSync(other);
    expect(namespaceAt(torch)).toBe('parent'); // a folder called torch is a guest of its parent
    expect(namespaceAt(other)).toBe('parent');
    write(other, 'torch-config.json', named('own'));
    expect(namespaceAt(other)).toBe('own');
    write(other, 'elsewhere.json', named('elsewhere'));
    expect(namespaceAt(other, { TORCH_CONFIG_PATH: 'elsewhere.json' })).toBe('elsewhere');
    expect(readRepositoryConfig(other, { TORCH_CONFIG_PATH: 'gone.json' })).toMatchObject({
      ok: false,
      message: `TORCH_CONFIG_PATH names no file: ${join(other, 'gone.json')}`,
    });
  });
});

describe('the roster', () => {
  it('T1 is read in its order; a missing list is empty', () => {
    const root = temporaryFolder();
    write(root, 'src/prompts/roster.json', { daily: ['b', 'a'], note: 'x' });
    expect(taken(readRoster(root))).toEqual({ daily: ['b', 'a'], weekly: [] });
  });

  it.each([
    [{ daily: ['a', 'a'] }, 'daily lists "a" twice'],
    [{ weekly: ['my_agent'] }, 'weekly: the name "my_agent" must not contain "_"'],
    [{ daily: ['../x'] }, 'the name "../x" must not contain ".."'],
    [{ daily: ['a/b'] }, 'the name "a/b" may hold letters, digits, spaces and . - + @ only'],
    [{ daily: [''] }, 'the name "" must not be empty'],
    [{ daily: 'a' }, 'daily must be a list'],
    [{ daily: [1] }, 'daily.0 must be a text'],
    [[], 'the file must be an object'],
    ['', 'is not valid JSON: Unexpected end of the file at row 1, column 1'],
  ])('T1 refuses %j', (content, words) => {
    const root = temporaryFolder();
    write(root, 'src/prompts/roster.json', content);
    const result = readRoster(root);
    expect(result).toMatchObject({ ok: false, code: 'invalid' });
    expect(!result.ok && result.message).toContain(words);
  });

  it('T1 a repository without one says where it should be', () => {
    const root = temporaryFolder();
    expect(readRoster(root)).toMatchObject({
      ok: false,
      code: 'not_found',
      message: `there is no roster: ${root}/src/prompts/roster.json`,
    });
    write(root, 'src', 'a file where the folder should be');
    expect(readRoster(root)).toMatchObject({ ok: false, code: 'not_found' });
  });

  it('T2 lock commands take each cadence from the first place that has it', () => {
    const root = temporaryFolder();
    const rosterWith = (config: object, env: NodeJS.ProcessEnv = {}) => {
      write(root, 'torch-config.json', config);
      return readLockRoster(root, taken(readRepositoryConfig(root, env)).lock);
    };
    expect(rosterWith({})).toMatchObject({ ok: false, code: 'not_found' });
    expect(rosterWith({ nostrLock: { dailyRoster: ['only'] } })).toMatchObject({
      value: { daily: ['only'], weekly: [] },
    });
    write(root, 'src/prompts/roster.json', { daily: ['third'], weekly: ['w3'] });
    expect(rosterWith({})).toMatchObject({ value: { daily: ['third'], weekly: ['w3'] } });
    write(root, 'roster.json', { daily: ['second'], weekly: ['w2'] });
    expect(rosterWith({})).toMatchObject({ value: { daily: ['second'] } });
    write(root, 'torch/roster.json', { daily: ['first'], weekly: ['w1'] });
    expect(rosterWith({})).toMatchObject({ value: { daily: ['first'] } });
    const listed = { nostrLock: { dailyRoster: ['config'], weeklyRoster: [] } };
    expect(rosterWith(listed)).toMatchObject({ value: { daily: ['config'], weekly: ['w1'] } });
    expect(rosterWith(listed, { NOSTR_LOCK_DAILY_ROSTER: 'x,y' })).toMatchObject({
      value: { daily: ['x', 'y'], weekly: ['w1'] },
    });
    expect(rosterWith(listed, { NOSTR_LOCK_DAILY_ROSTER: 'x_y' })).toMatchObject({
      ok: false,
      message: expect.stringContaining('the daily roster given: the name "x_y" must not contain'),
    });
    write(root, 'torch/roster.json', '{');
    expect(rosterWith({})).toMatchObject({ ok: false, code: 'invalid' });
  });

  it('T2 an agent that is not in it is refused with the one that was meant', () => {
    const roster = { daily: ['docs-agent', 'audit-agent'], weekly: [] };
    expect(notInRoster(roster, 'daily', 'docs-agent')).toBeNull();
    expect(notInRoster(roster, 'daily', 'dosc-agent')).toMatchObject({
      message: '"dosc-agent" is not in the daily roster',
      hint: 'did you mean "docs-agent"?',
    });
    expect(notInRoster(roster, 'weekly', 'x')).toMatchObject({ hint: 'it lists: nobody' });
  });

  it('T1 names that fit into file names, arguments and tags pass', () => {
    for (const name of ['audit-agent', 'Ägypten 2', 'a.b', 'x'.repeat(100)]) {
      expect(faultOfAgentName(name)).toBeNull();
    }
    for (const name of [
      '-rf',
      '.hidden',
      'a\\b',
      'a\nb',
      ' a',
      'a ',
      'x'.repeat(101),
      'a\u202eb',
    ]) {
      expect(faultOfAgentName(name)).not.toBeNull();
    }
  });
});
