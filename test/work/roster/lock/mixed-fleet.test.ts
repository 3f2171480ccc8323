import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { claim, pairs } from '../../../support/relay/asking.ts';
import { existingTool } from '../../../support/relay/existing-tool.ts';
import { machine, proxied, put, relays } from '../../../support/relay/fleet.ts';

const DAY_MS = 86_400_000;
const dateOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
const today = () => dateOf(Date.now());

async function fleet() {
  const [relay] = await relays(1);
  const url = relay?.url ?? '';
  return { relay, ours: machine([url]), theirs: existingTool(url, 'garden') };
}

describe('a fleet of Lull and existing tools', { timeout: 60_000 }, () => {
  it('T2 what we lock and complete, they see: locked, denied, done', async () => {
    const { ours, theirs } = await fleet();
    const got = pairs(await ours.lock.acquire(claim()));
    expect(await theirs.look('daily', today())).toEqual([
      {
        ...{ id: got.LOCK_EVENT_ID, agent: 'docs-agent', status: 'started' },
        createdAt: Number(got.LOCK_EXPIRES) - 7200,
      },
    ]);
    expect(await theirs.acquire('docs-agent')).toBe('denied');
    expect((await ours.lock.complete(claim())).code).toBe(0);
    const seen = await theirs.look('daily', today());
    expect(seen.map(({ status }) => status).sort()).toEqual(['completed', 'started']);
    expect(await theirs.acquire('docs-agent')).toBe('denied');
    expect(await theirs.acquire('audit-agent')).toBe('ok');
  });

  it('T2 what they lock and complete, we heed, and never complete for them', async () => {
    const { ours, theirs } = await fleet();
    expect(await theirs.acquire('docs-agent')).toBe('ok');
    const [lock] = await theirs.look('daily', today());
    const iso = (seconds: number) => new Date(seconds * 1000).toISOString();
    expect(JSON.parse((await ours.lock.check('daily')).stdout)).toMatchObject({
      ...{ locked: ['docs-agent'], available: ['audit-agent', 'ci-health-agent'] },
      locks: [
        {
          ...{ agent: 'docs-agent', eventId: lock?.id, platform: 'codex' },
          createdAt: iso(lock?.createdAt ?? 0),
          expiresAt: iso((lock?.createdAt ?? 0) + 7200),
        },
      ],
    });
    expect(pairs(await ours.lock.acquire(claim()))).toEqual({
      LOCK_STATUS: 'denied',
      LOCK_REASON: 'already_locked',
      LOCK_EXISTING_EVENT: lock?.id,
    });
    expect((await ours.lock.complete(claim())).code).toBe(3);
    await theirs.complete('docs-agent');
    expect(pairs(await ours.lock.acquire(claim())).LOCK_REASON).toBe('already_completed');
  });

  it('T2 of one of us and one of them that claim at once, one has the agent', async () => {
    const { ours, theirs } = await fleet();
    const [our, their] = await Promise.all([
      ours.lock.acquire(claim()),
      theirs.acquire('docs-agent'),
    ]);
    expect([our.code === 0, their === 'ok'].filter(Boolean)).toHaveLength(1);
  });

  it('T2 a weekly agent they did on another day of the week is done', async () => {
    const { ours, theirs } = await fleet();
    const sinceMonday = (new Date().getUTCDay() + 6) % 7;
    await theirs.completeOn('docs-agent', 'weekly', dateOf(Date.now() - sinceMonday * DAY_MS));
    expect(pairs(await ours.lock.acquire(claim('docs-agent', 'weekly'))).LOCK_REASON).toBe(
      'already_completed',
    );
    await theirs.completeOn('audit-agent', 'weekly', dateOf(Date.now() - 8 * DAY_MS));
    expect((await ours.lock.acquire(claim('audit-agent', 'weekly'))).code).toBe(0);
    expect(await theirs.acquire('audit-agent', 'weekly')).toBe('denied');
  });

  it('T2 we ask a relay for the kind and the tag of each day, and for nothing else', async () => {
    const { proxies } = await proxied(1);
    const { lock } = machine(proxies.map(({ url }) => url));
    await lock.check('daily');
    const asked = proxies[0]?.heard.filter(([type]) => type === 'REQ') ?? [];
    const tag = (ms: number) => `garden-lock-daily-${dateOf(ms)}`;
    expect(asked).toHaveLength(1);
    expect(asked[0]?.slice(2)).toEqual([
      { kinds: [30078], '#t': [tag(Date.now() - DAY_MS), tag(Date.now())] },
    ]);
  });

  it('T2 a claim names the commit, the prompt and its SHA-256', async () => {
    const { ours, relay } = await fleet();
    const { root } = ours.options;
    put(root, 'src/prompts/daily/docs-agent.md', '# Docs\n');
    const git = (...args: string[]) =>
      spawnSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@localhost', ...args], {
        ...{ cwd: root, encoding: 'utf8' },
      }).stdout.trim();
    git('init', '--quiet');
    git('add', '--all');
    git('commit', '--quiet', '--message', 'Begin');
    const got = pairs(await ours.lock.acquire(claim()));
    const said = {
      gitCommit: git('rev-parse', 'HEAD'),
      promptPath: 'src/prompts/daily/docs-agent.md',
      promptHash: 'b8c2322c9fb62341ee3069769f1e43c3272ec10c83d89a44529b519b97c9cae4',
    };
    expect(JSON.parse(relay?.stored()[0]?.content ?? '')).toMatchObject(said);
    expect(got).toMatchObject({
      LOCK_GIT_COMMIT: said.gitCommit,
      LOCK_PROMPT_HASH: said.promptHash,
    });
  });
});
