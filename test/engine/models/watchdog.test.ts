import { expect, it, describe as room } from 'vitest';
import { watchdog } from '../../../main/engine/models/watchdog.ts';
import { FakeClock } from '../../support/fake-clock.ts';

function setUp(ms: number) {
  const clock = new FakeClock();
  let bites = 0;
  const dog = watchdog(clock, { waitingFor: 'first token', ms }, () => {
    bites += 1;
  });
  return { clock, dog, bites: () => bites };
}

room('A6 the watchdog on a call', () => {
  it('A6 bites once when a stage is over, and names it', async () => {
    const { clock, dog, bites } = setUp(900_000);
    await clock.advance(899_999);
    expect(bites()).toBe(0);
    expect(dog.expired()).toBeNull();
    await clock.advance(1);
    expect(bites()).toBe(1);
    expect(dog.expired()?.waitingFor).toBe('first token');
    await clock.advance(9_000_000);
    expect(bites()).toBe(1);
  });

  it('A6 a beat starts the stage anew, and the next stage has its own limit', async () => {
    const { clock, dog, bites } = setUp(60_000);
    for (let i = 0; i < 10; i++) {
      await clock.advance(59_000);
      dog.beat();
    }
    dog.enter({ waitingFor: 'further output', ms: 5000 });
    await clock.advance(4999);
    expect(bites()).toBe(0);
    await clock.advance(1);
    expect(dog.expired()?.waitingFor).toBe('further output');
  });

  it('A6 a machine that slept has not stalled, and a stopped dog leaves no timer', async () => {
    const { clock, dog, bites } = setUp(60_000);
    await clock.advance(30_000);
    clock.suspend(8 * 3_600_000);
    await clock.advance(29_999);
    expect(bites()).toBe(0);
    dog.stop();
    expect(clock.pendingTimers).toBe(0);
  });
});
