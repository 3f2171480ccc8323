import { describe, expect, it } from 'vitest';
import type { Push } from '../../main/surfaces/contract.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { AWAY, hostHere, lullHere, testHome } from '../support/host.ts';

const HERE = { idleSeconds: 3, powerSource: 'mains' };

/** A host with one draft that waits. */
async function withDraft(facts: object = HERE) {
  const home = testHome(facts);
  const clock = new FakeClock(new Date(2026, 11, 1, 14, 30).getTime());
  const living = await hostHere(home, clock);
  const { call, calm } = living;
  await call('jobs.add', { text: 'Think.', tier: 'routine' });
  await calm();
  expect((await call('status', {})).drafts.pending).toBe(1);
  return { home, clock, ...living };
}

describe('a draft that is put off', () => {
  it('D4 it is neither counted nor at the top until its time has come, and then it is back by itself', async () => {
    const { call, host, clock } = await withDraft();
    const pushes: Push[] = [];
    host.subscribe((push) => pushes.push(push));
    const until = clock.now() + 3_600_000;
    expect(await call('drafts.snooze', { id: 1, forSeconds: 3600 })).toMatchObject({
      ...{ id: 1, state: 'pending', snoozed: { until } },
    });
    expect((await call('status', {})).drafts.pending).toBe(0);
    expect((await call('panel', {})).drafts).toEqual([]);
    expect(await call('drafts.list', { snoozed: false })).toEqual([]);
    expect(await call('drafts.list', { snoozed: true })).toMatchObject([{ id: 1 }]);
    expect(await call('drafts.list', { state: 'pending' })).toMatchObject([{ id: 1 }]);
    await clock.advance(3_599_000);
    expect((await call('status', {})).drafts.pending).toBe(0);
    pushes.length = 0;
    await clock.advance(2_000);
    expect((await call('drafts.show', { id: 1 })).snoozed).toBeNull();
    await clock.advance(1_000);
    expect(pushes.some(({ changed }) => changed.drafts?.[0]?.id === 1)).toBe(true);
  });

  it('D4 until the morning, a moment of one’s own, or the next time the owner leaves', async () => {
    const { home, call, clock } = await withDraft();
    const morning = new Date(2026, 11, 2, 8).getTime();
    expect((await call('drafts.snooze', { id: 1 })).snoozed).toEqual({ until: morning });
    const until = clock.now() + 60_000;
    expect((await call('drafts.snooze', { id: 1, until })).snoozed).toEqual({ until });
    await expect(call('drafts.snooze', { id: 1, until: clock.now() })).rejects.toMatchObject({
      code: 'invalid',
    });
    await call('drafts.snooze', { id: 1, until: 'next-lull' });
    await clock.advance(7_200_000);
    expect((await call('drafts.show', { id: 1 })).snoozed).toEqual({ until: null });
    home.setFacts(AWAY);
    await clock.advance(120_000);
    expect((await call('drafts.show', { id: 1 })).snoozed).toBeNull();
  });

  it('D4 it can be brought back, decided as it is, and only what waits can be put off', async () => {
    const { call } = await withDraft();
    await call('drafts.snooze', { id: 1 });
    expect((await call('drafts.wake', { id: 1 })).snoozed).toBeNull();
    expect((await call('drafts.wake', { id: 1 })).snoozed).toBeNull();
    await call('drafts.snooze', { id: 1 });
    expect(await call('drafts.dismiss', { id: 1 })).toMatchObject({
      ...{ state: 'dismissed', snoozed: null },
    });
    expect((await call('drafts.restore', { id: 1 })).snoozed).toBeNull();
    expect((await call('status', {})).drafts.pending).toBe(1);
    await call('drafts.approve', { id: 1 });
    await expect(call('drafts.snooze', { id: 1 })).rejects.toMatchObject({
      ...{ code: 'refused', message: 'draft 1 cannot be snoozed: it was approved and carried out' },
    });
    await expect(call('drafts.snooze', { id: 9 })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('D4 it survives a restart, and without a host it is told of as put off', async () => {
    const { home, call, stop } = await withDraft();
    await call('drafts.snooze', { id: 1 });
    await stop();
    const list = await lullHere(home, ['drafts', 'list']);
    expect(list.out).toMatch(/^ +1 +snoozed +text/m);
    expect((await lullHere(home, ['status'])).out).toMatch(/^drafts +none to decide$/m);
    const second = await hostHere(home, new FakeClock(new Date(2026, 11, 1, 15).getTime()));
    expect((await second.call('status', {})).drafts.pending).toBe(0);
  });

  it('D8 without a host the one line says so, not what would run', async () => {
    const { home, call, stop } = await withDraft();
    await call('jobs.add', { text: 'Think on.' });
    await stop();
    const status = await lullHere(home, ['status']);
    expect(status.out.split('\n')[0]).toBe('Lull is not running');
    expect(status.out).toMatch(/^host +not running$/m);
  });
});
