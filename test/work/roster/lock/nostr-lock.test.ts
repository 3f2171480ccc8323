import { describe, expect, it } from 'vitest';
import { claim, pairs } from '../../../support/relay/asking.ts';
import { again, machine, proxied, put, relays } from '../../../support/relay/fleet.ts';

describe('a lock over three relays', () => {
  it('T2 acquire, check, denied elsewhere, complete, complete again', async () => {
    const [first, second, third] = await relays(3);
    const urls = [first?.url ?? '', second?.url ?? '', third?.url ?? ''];
    const ours = machine(urls);
    const theirs = machine(urls);
    put(ours.options.root, 'src/prompts/daily/docs-agent.md', '# Docs\n');

    const got = await ours.lock.acquire(claim());
    expect(got.stderr).toContain('First use of');
    expect(got.code).toBe(0);
    expect(pairs(got)).toMatchObject({ LOCK_STATUS: 'ok', LOCK_AGENT: 'docs-agent' });
    expect(first?.stored()).toHaveLength(1);

    const seen = await theirs.lock.check('daily');
    expect(JSON.parse(seen.stdout)).toMatchObject({ locked: ['docs-agent'], lockCount: 1 });
    const denied = await theirs.lock.acquire(claim());
    expect(denied.code).toBe(3);
    expect(pairs(denied)).toEqual({
      LOCK_STATUS: 'denied',
      LOCK_REASON: 'already_locked',
      LOCK_EXISTING_EVENT: pairs(got).LOCK_EVENT_ID,
    });
    expect(await theirs.lock.complete(claim())).toMatchObject({ code: 3 });

    const done = await again(ours).lock.complete(claim());
    expect(done).toMatchObject({ code: 0 });
    expect(pairs(done)).toMatchObject({ LOCK_STATUS: 'completed' });
    expect(await ours.lock.complete(claim())).toMatchObject({ code: 0 });
    expect(third?.stored()).toHaveLength(2);
    const after = await theirs.lock.acquire(claim());
    expect(pairs(after)).toMatchObject({ LOCK_REASON: 'already_completed' });
  });

  it('T2 health is one line of JSON, and well while one relay is', async () => {
    const { proxies } = await proxied(2);
    const urls = [...proxies.map(({ url }) => url), 'ws://127.0.0.1:1'];
    const { lock } = machine(urls);
    const answer = await lock.health('daily');
    expect(answer.code).toBe(0);
    expect(answer.stdout).toMatch(/^\{.*\}\n$/);
    const told = JSON.parse(answer.stdout);
    expect(told).toMatchObject({ ok: true, cadence: 'daily' });
    expect(told.relays.map(({ ok }: { ok: boolean }) => ok)).toEqual([true, true, false]);
  });
});
