import { describe, expect, it } from 'vitest';
import { publisher } from '../../main/desk/publisher.ts';
import type { PanelView } from '../../main/desk/view-model/panel.ts';
import { FakeClock } from '../support/fake-clock.ts';

/** A desk whose view the test changes; only two sections of it matter here. */
function desk() {
  const clock = new FakeClock();
  const state = {
    view: { detail: 'calm', currency: 'USD', drafts: [] } as unknown as PanelView,
    reads: 0,
    broken: null as Error | null,
    faults: [] as unknown[],
  };
  const publish = publisher(
    clock,
    () => {
      state.reads += 1;
      if (state.broken) throw state.broken;
      return state.view;
    },
    (error) => state.faults.push(error),
  );
  const show = (change: Partial<PanelView>): void => {
    state.view = { ...state.view, ...change };
    publish.changed();
  };
  return Object.assign(state, { clock, publish, show });
}

describe('what followers are told', () => {
  it('D6 nothing is read while nobody follows', async () => {
    const { clock, publish, show, ...room } = desk();
    show({ detail: 'busy' });
    expect(clock.pendingTimers).toBe(0);
    await clock.advance(10_000);
    const end = publish.follow(() => {});
    end();
    show({ detail: 'calm' });
    await clock.advance(10_000);
    expect([room.reads, clock.pendingTimers]).toEqual([0, 0]);
  });

  it('D6 many changes in a moment are told once, and only the sections that differ', async () => {
    const { clock, publish, show } = desk();
    const told: Partial<PanelView>[] = [];
    publish.follow((changed) => told.push(changed));
    publish.changed();
    await clock.advance(50);
    expect(told).toEqual([{ detail: 'calm', currency: 'USD', drafts: [] }]);
    for (let n = 0; n < 100; n++) show({ detail: `busy ${n}` });
    await clock.advance(50);
    expect(told.slice(1)).toEqual([{ detail: 'busy 99' }]);
    publish.changed();
    await clock.advance(50);
    expect(told).toHaveLength(2);
  });

  it('D6 each follower is told, until it leaves; the next first one is told the whole', async () => {
    const { clock, publish, show } = desk();
    const told: string[] = [];
    const ends = ['a', 'b'].map((name) =>
      publish.follow((changed) => told.push(`${name} ${Object.keys(changed).length}`)),
    );
    show({ detail: 'busy' });
    await clock.advance(50);
    expect(told).toEqual(['a 3', 'b 3']);
    ends[0]?.();
    show({ detail: 'calm' });
    await clock.advance(50);
    expect(told.slice(2)).toEqual(['b 1']);
    ends[1]?.();
    publish.follow((changed) => told.push(`c ${Object.keys(changed).length}`));
    show({ detail: 'busy' });
    await clock.advance(50);
    expect(told.slice(3)).toEqual(['c 3']);
  });

  it('D6 a view that cannot be read is a fault, and the next change is told', async () => {
    const room = desk();
    const { clock, publish, show } = room;
    const told: Partial<PanelView>[] = [];
    publish.follow((changed) => told.push(changed));
    room.broken = new Error('the database is gone');
    show({ detail: 'busy' });
    await clock.advance(50);
    expect(room.faults).toEqual([room.broken]);
    room.broken = null;
    publish.changed();
    await clock.advance(50);
    expect(told).toMatchObject([{ detail: 'busy' }]);
  });

  it('D6 a follower that breaks keeps nothing from the others', async () => {
    const room = desk();
    const told: Partial<PanelView>[] = [];
    room.publish.follow(() => {
      throw new Error('its page is gone');
    });
    room.publish.follow((changed) => told.push(changed));
    room.show({ detail: 'busy' });
    await room.clock.advance(50);
    expect(told).toMatchObject([{ detail: 'busy' }]);
    expect(room.faults).toHaveLength(1);
  });

  it('D6 stopped, it tells nobody and leaves no timer', async () => {
    const { clock, publish, show } = desk();
    const told: unknown[] = [];
    publish.follow((changed) => told.push(changed));
    show({ detail: 'busy' });
    publish.stop();
    expect(clock.pendingTimers).toBe(0);
    await clock.advance(1000);
    expect([told, clock.pendingTimers]).toEqual([[], 0]);
  });
});
