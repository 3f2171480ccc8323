import { describe, expect, it } from 'vitest';
import { runFleet } from './fleet.ts';

describe('four machines and one roster', { timeout: 400_000 }, () => {
  it('T2 T3 with honest relays and clocks within a second, every agent runs once in a window', async () => {
    const report = await runFleet({ seed: 7, windows: 1, faults: false });
    expect(report).toMatchObject({
      ...{ completed: 10, doubles: [], starved: [], logFaults: [] },
    });
  });

  it('T2 where relays forget or machines are parted, what ran twice is found at the next contact', async () => {
    const report = await runFleet({ seed: 5, windows: 1, faults: true });
    expect(report).toMatchObject({ unreported: [], starved: [], logFaults: [] });
    expect(report.doubles.length, 'a fault that does nothing').toBeGreaterThan(0);
  });
});
