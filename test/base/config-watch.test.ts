import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../main/base/clock.ts';
import { readConfig } from '../../main/base/config.ts';
import { type LiveConfig, liveConfig } from '../../main/base/config-watch.ts';
import { temporaryFolder } from '../support/store.ts';

function watched(): { file: string; live: LiveConfig; changed: () => Promise<void> } {
  const file = join(temporaryFolder(), 'config.json');
  const first = readConfig(file);
  if (!first.ok) throw new Error(first.message);
  let next = Promise.withResolvers<void>();
  const live = liveConfig(file, first.value, systemClock(), () => next.resolve());
  onTestFinished(() => live.stop());
  return {
    file,
    live,
    changed: async () => {
      await next.promise;
      next = Promise.withResolvers<void>();
    },
  };
}

describe('live config', () => {
  it('D6 a changed file is in force at once, a broken one keeps the last valid settings', async () => {
    const { file, live, changed } = watched();
    writeFileSync(file, '{"power": {"floorPercent": 33}}');
    await changed();
    expect(live.current().power.floorPercent).toBe(33);
    writeFileSync(file, '{"power": {"floorPercnt": 40}}');
    await changed();
    expect(live.current().power.floorPercent).toBe(33);
    expect(live.problem()?.message).toContain('power.floorPercnt');
    writeFileSync(file, '{"power": {"floorPercent": 40}}');
    await changed();
    expect(live.problem()).toBeNull();
    expect(live.current().power.floorPercent).toBe(40);
  });
});
