import { expect, it } from 'vitest';
import { steadyIdle } from '../../../main/engine/gates/steady-idle.ts';
import { FakeClock } from '../../support/fake-clock.ts';

const known = (value: number) => ({ ok: true, value, source: 'X11' }) as const;
const failed = { ok: false, reason: 'the X server does not answer', source: 'X11' } as const;

it('G1 one late answer is no return: the last reading goes on for ten seconds', async () => {
  const clock = new FakeClock();
  const steady = steadyIdle(clock);
  expect(steady(failed)).toEqual(failed);
  expect(steady(known(900))).toEqual(known(900));
  await clock.advance(2_000);
  expect(steady(failed)).toEqual(known(902));
  await clock.advance(8_000);
  expect(steady(failed)).toEqual(known(910));
  await clock.advance(1);
  expect(steady(failed)).toEqual(failed);
});

it('G1 what a reading says counts at once, also right after one that failed', async () => {
  const clock = new FakeClock();
  const steady = steadyIdle(clock);
  steady(known(900));
  await clock.advance(2_000);
  steady(failed);
  await clock.advance(2_000);
  expect(steady(known(1))).toEqual(known(1));
  await clock.advance(2_000);
  expect(steady(failed)).toEqual(known(3));
});

it('G1 sleep does not lengthen the patience, nor the idle time', () => {
  const clock = new FakeClock();
  const steady = steadyIdle(clock);
  steady(known(900));
  clock.suspend(8 * 3_600_000);
  expect(steady(failed)).toEqual(known(900));
});
