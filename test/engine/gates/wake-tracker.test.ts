import { describe, expect, it } from 'vitest';
import { wakeTracker } from '../../../main/engine/gates/wake-tracker.ts';
import { FakeClock } from '../../support/fake-clock.ts';

describe('the wake tracker', () => {
  it('G1 knows of no wake until it has seen a sleep', async () => {
    const clock = new FakeClock();
    const tracker = wakeTracker(clock);
    expect(tracker.awakeSeconds()).toBeNull();
    await clock.advance(600_000);
    expect(tracker.awakeSeconds()).toBeNull();
  });

  it('G1 counts from the last wake that it noticed', async () => {
    const clock = new FakeClock();
    const tracker = wakeTracker(clock);
    clock.suspend(8 * 3_600_000);
    expect(tracker.awakeSeconds()).toBe(0);
    await clock.advance(20_000);
    expect(tracker.awakeSeconds()).toBe(20);
    clock.suspend(60_000);
    expect(tracker.awakeSeconds()).toBe(0);
  });

  it('S2 a clock that is adjusted a little, or set back, is no sleep', async () => {
    const clock = new FakeClock();
    const tracker = wakeTracker(clock);
    clock.jump(5000);
    expect(tracker.awakeSeconds()).toBeNull();
    clock.jump(-7_200_000);
    expect(tracker.awakeSeconds()).toBeNull();
    await clock.advance(1000);
    clock.jump(4000);
    clock.suspend(1001);
    expect(tracker.awakeSeconds()).toBe(0);
  });
});
