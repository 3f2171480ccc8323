import { expect, it } from 'vitest';
import { batchDeadline } from '../../../main/engine/workers/deadline.ts';
import { FakeClock } from '../../support/fake-clock.ts';

it('S4 the deadline of a batch counts what the worker computes, and nothing it waits for', async () => {
  const clock = new FakeClock();
  let over = 0;
  const deadline = batchDeadline(clock, 1000, () => {
    over += 1;
  });
  await clock.advance(400);
  deadline.pause();
  deadline.pause();
  await clock.advance(60_000);
  deadline.resume();
  await clock.advance(60_000);
  deadline.resume();
  await clock.advance(599);
  expect(over).toBe(0);
  await clock.advance(1);
  expect(over).toBe(1);
});

it('S4 a landed batch gives the next one all the time, also while something is waited for', async () => {
  const clock = new FakeClock();
  let over = 0;
  const deadline = batchDeadline(clock, 1000, () => {
    over += 1;
  });
  await clock.advance(999);
  deadline.renew();
  await clock.advance(999);
  deadline.pause();
  deadline.renew();
  deadline.resume();
  await clock.advance(999);
  expect(over).toBe(0);
  deadline.stop();
  await clock.advance(10_000);
  expect([over, clock.pendingTimers]).toEqual([0, 0]);
});
