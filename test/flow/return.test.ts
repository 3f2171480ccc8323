import { describe, expect, it } from 'vitest';
import { HAS_DISPLAY } from '../returns/owner.ts';
import { playReturn, type ReturnOptions } from '../returns/story.ts';

/** The goals on the test server; the command `npm run returns` prints the figures of many. */
const YIELD_MS = 15_000;
const FREE_MS = 30_000;

describe.concurrent('the owner returns in the middle of a model call', () => {
  it.each<[string, ReturnOptions]>([
    [
      'at the step’s end, where that comes soon',
      { way: 'step', callSeconds: 8, leadSeconds: 3, display: HAS_DISPLAY },
    ],
    [
      'by aborting a call that would last two minutes and more',
      { way: 'abort', callSeconds: 150, display: HAS_DISPLAY },
    ],
  ])(
    'G7 the job gives way %s, memory comes back, and nothing is lost',
    // A machine that stands still for seconds in between makes the host think that it slept.
    { timeout: 90_000, retry: 2 },
    async (_how, options) => {
      const { yieldMs, freeMs, faults } = await playReturn(options);
      expect(faults).toEqual([]);
      expect(yieldMs).toBeLessThan(YIELD_MS);
      expect(freeMs).toBeLessThan(FREE_MS);
    },
  );
});
