import { describe, expect, it } from 'vitest';
import { rosterLock } from '../../../../main/work/roster/lock/roster-lock.ts';
import { claim, pairs } from '../../../support/relay/asking.ts';
import { machine, proxied } from '../../../support/relay/fleet.ts';

describe('relays that are down, for an owner who goes on without them', () => {
  it('T2 the machine decides by itself, says so, and completes where it claimed', async () => {
    const { proxies, relays } = await proxied(1, { parted: true });
    const urls = proxies.map(({ url }) => url);
    const { options } = machine(urls, { whenUnreachable: 'local' });
    const lock = rosterLock(options);

    const seen = await lock.check('daily');
    expect(seen).toMatchObject({ code: 0 });
    expect(seen.stderr).toContain("The relays are down: this machine's own lock decides.\n");
    const alone = await lock.acquire(claim());
    expect(pairs(alone)).toMatchObject({
      LOCK_STATUS: 'ok',
      LOCK_EVENT_ID: expect.stringMatching(/^local-/),
    });

    for (const proxy of proxies) proxy.faults = {}; // back again
    expect((await lock.acquire(claim('audit-agent'))).code).toBe(0);
    expect(relays[0]?.stored()).toHaveLength(1);
    expect((await lock.complete(claim())).code).toBe(0);
    expect((await rosterLock(options).complete(claim())).code).toBe(0); // another process
    expect(relays[0]?.stored()).toHaveLength(1);
    expect((await lock.complete(claim('audit-agent'))).code).toBe(0);
    expect(relays[0]?.stored()).toHaveLength(2);
    expect((await lock.health('daily')).code).toBe(0);
    expect((await rosterLock(options).complete(claim('ci-health-agent'))).code).toBe(1);
    // a denial of the relays is an answer, not a fault
    expect(pairs(await lock.acquire(claim('audit-agent'))).LOCK_REASON).toBe('already_completed');
  });
});
