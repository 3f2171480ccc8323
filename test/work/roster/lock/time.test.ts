import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Clock } from '../../../../main/base/clock.ts';
import { claim, pairs } from '../../../support/relay/asking.ts';
import { again, machine, proxied, relays } from '../../../support/relay/fleet.ts';

const HOUR = 3_600_000;

/**
 * The hours of a test: one date for the locks and the relays in this process, moved by hand. Short waits
 * (the race delay, a network's time limits) pass as they do; long ones end when the date is moved.
 */
class Hours implements Clock {
  #long = new Set<() => void>();

  constructor(start: string) {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(start) });
  }

  now = () => Date.now();
  monotonic = () => performance.now();
  random = () => 0.5;

  timer(ms: number, run: () => void): () => void {
    if (ms < 25_000) {
      const handle = setTimeout(run, ms);
      return () => clearTimeout(handle);
    }
    this.#long.add(run);
    return () => this.#long.delete(run);
  }

  pass(ms: number): void {
    vi.setSystemTime(Date.now() + ms);
    for (const run of [...this.#long]) {
      this.#long.delete(run);
      run();
    }
  }

  get waiting(): number {
    return this.#long.size;
  }
}

describe('hours and days', () => {
  let hours: Hours;
  beforeEach(() => {
    hours = new Hours('2026-02-19T23:30:00.250Z'); // a Thursday
  });
  afterEach(() => void vi.useRealTimers());

  function fleet(urls: string[]) {
    const around = () => ({ clock: hours });
    return [machine(urls, {}, around()), machine(urls, {}, around())] as const;
  }

  it('T2 a run across midnight UTC and beyond its time to live completes, by its own date', async () => {
    const [relay] = await relays(1);
    const [ours, theirs] = fleet([relay?.url ?? '']);
    const got = pairs(await ours.lock.acquire(claim()));
    expect(got).toMatchObject({
      LOCK_DATE: '2026-02-19',
      LOCK_EXPIRES_ISO: '2026-02-20T01:30:00.000Z',
    });
    hours.pass(1 * HOUR); // 00:30: it still runs, and nobody else begins beside it
    expect(pairs(await theirs.lock.acquire(claim())).LOCK_REASON).toBe('already_locked');
    hours.pass(3 * HOUR); // 03:30: its time is over
    const done = await again(ours).lock.complete(claim());
    expect(done.code).toBe(0);
    expect(pairs(done).LOCK_DATE).toBe('2026-02-19');
    const last = relay?.stored().find(({ content }) => content.includes('"completed"'));
    expect(last?.tags[0]).toEqual(['d', 'garden-lock/daily/docs-agent/2026-02-19']);
    expect(JSON.parse(last?.content ?? '{}')).toMatchObject({
      date: '2026-02-19',
      startedAt: '2026-02-19T23:30:00.000Z',
    });
    // the new day is free, for everybody once
    expect((await theirs.lock.acquire(claim())).code).toBe(0);
  });

  it('T2 a claim that is over is over, though a relay still serves it; who took it over has it', async () => {
    const [relay] = await relays(1);
    const [ours, theirs] = fleet([relay?.url ?? '']);
    hours.pass(1 * HOUR);
    expect((await ours.lock.acquire(claim())).code).toBe(0);
    hours.pass(2 * HOUR);
    expect(relay?.stored()).toHaveLength(1);
    expect(JSON.parse((await theirs.lock.check('daily')).stdout).locked).toEqual([]);
    expect((await theirs.lock.acquire(claim())).code).toBe(0);
    expect(await ours.lock.complete(claim())).toMatchObject({ code: 3 });
    expect((await theirs.lock.complete(claim())).code).toBe(0);
  });

  it('T2 a kept lock is renewed before its time is over, for as long as the agent runs', async () => {
    const [relay] = await relays(1);
    const [ours, theirs] = fleet([relay?.url ?? '']);
    expect((await ours.lock.acquire(claim())).code).toBe(0);
    const kept = ours.lock.keep(claim(), () => {});
    for (let renewals = 1; renewals <= 4; renewals++) {
      hours.pass(HOUR);
      await vi.waitFor(() => expect(claims()).toBe(renewals + 1), { timeout: 30_000 });
      await vi.waitFor(() => expect(hours.waiting).toBe(1), { timeout: 30_000 });
    }
    function claims(): number {
      return relay?.stored().length ?? 0;
    }
    expect(pairs(await theirs.lock.acquire(claim())).LOCK_REASON).toBe('already_locked');
    const tags = relay?.stored().map(({ tags }) => tags[0]?.[1]);
    expect(new Set(tags)).toEqual(new Set(['garden-lock/daily/docs-agent/2026-02-19']));
    expect(kept.lost.aborted).toBe(false);
    await kept.stop();
    expect(hours.waiting).toBe(0);
    expect((await ours.lock.complete(claim())).code).toBe(0);
    expect((await ours.lock.complete(claim())).code).toBe(0);
  });

  it('T2 a kept lock that cannot be renewed before its time is over is lost, and says why', async () => {
    const { proxies } = await proxied(1);
    const [ours] = fleet(proxies.map(({ url }) => url));
    expect((await ours.lock.acquire(claim())).code).toBe(0);
    for (const proxy of proxies) proxy.faults = { parted: true };
    const said: string[] = [];
    const kept = ours.lock.keep(claim(), (line) => said.push(line));
    hours.pass(HOUR);
    await vi.waitFor(() => expect(said).toHaveLength(1), { timeout: 30_000 });
    expect(said[0]).toContain('The lock was not renewed: ');
    expect(kept.lost.aborted).toBe(false);
    await vi.waitFor(() => expect(hours.waiting).toBe(1), { timeout: 30_000 });
    hours.pass(HOUR + 1000);
    await vi.waitFor(() => expect(kept.lost.aborted).toBe(true), { timeout: 30_000 });
    expect(kept.lost.reason).toBe('it could not be renewed before its time was over');
    await kept.stop();
    // nobody took it: what it guarded is still ours to complete
    for (const proxy of proxies) proxy.faults = {};
    expect((await ours.lock.complete(claim())).code).toBe(0);
  });

  it('T2 a weekly agent runs once in its ISO week, whichever machine asks on whichever day', async () => {
    const [relay] = await relays(1);
    const [ours, theirs] = fleet([relay?.url ?? '']);
    const weekly = claim('docs-agent', 'weekly');
    expect((await ours.lock.acquire(weekly)).code).toBe(0);
    expect((await ours.lock.complete(weekly)).code).toBe(0);
    hours.pass(72 * HOUR); // Sunday
    expect(pairs(await theirs.lock.acquire(weekly))).toMatchObject({
      LOCK_STATUS: 'denied',
      LOCK_REASON: 'already_completed',
    });
    expect(JSON.parse((await theirs.lock.check('weekly')).stdout).locked).toEqual(['docs-agent']);
    hours.pass(HOUR); // Monday
    expect((await theirs.lock.acquire(weekly)).code).toBe(0);
  });
});
