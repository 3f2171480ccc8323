import { describe, expect, it } from 'vitest';
import { configSchema } from '../../../main/base/config-schema.ts';
import { createRouter } from '../../../main/engine/admission/router.ts';

const config = configSchema.parse({});
const router = createRouter(() => config);

describe('the router', () => {
  it.each([
    ['route', 'pinned', 0, 'light'],
    ['classify', 'pinned', 0, 'light'],
    ['watchdog', 'pinned', 0, 'light'],
    ['ambassador', 'pinned', 0, 'light'],
    ['vault_sync', 'pinned', 100, 'housekeeping'],
    ['chat_sync', 'pinned', 100, 'housekeeping'],
    ['chat_events', 'pinned', 100, 'housekeeping'],
    ['integrate', 'pinned', 100, 'housekeeping'],
    ['code_sync', 'pinned', 100, 'housekeeping'],
    ['code_backfill', 'pinned', 100, 'housekeeping'],
    ['curate', 'synthesis', 100, 'housekeeping'],
    ['dream', 'synthesis', 100, 'housekeeping'],
    ['shadow', 'synthesis', 100, 'housekeeping'],
    ['compact', 'synthesis', 100, 'housekeeping'],
    ['synthesize', 'synthesis', 100, 'heavy'],
    ['research', 'synthesis', 100, 'heavy'],
    ['ambassador_task', 'synthesis', 100, 'heavy'],
    ['brief', 'routine', 50, 'light'],
    ['task', 'synthesis', 100, 'heavy'],
    ['anything else', 'routine', 10, 'light'],
    ['constructor', 'routine', 10, 'light'],
  ])('S8 %s is %s work at priority %i, counted as %s', (kind, tier, priority, jobClass) => {
    expect(router.plan(kind)).toMatchObject({ kind, tier, priority, class: jobClass });
  });

  it('S8 the window is that of the lineup, or the configured one of the tier', () => {
    const windows = (r: typeof router) =>
      (['pinned', 'routine', 'synthesis', 'stretch'] as const).map(
        (tier) => r.plan('brief', { tier }).numCtx,
      );
    expect(windows(router)).toEqual([8192, 16_384, 32_768, 32_768]);
    const tiers = { routine: { server: 's', model: 'm', numCtx: 4096 } };
    expect(windows(createRouter(() => ({ models: { tiers } })))).toEqual([
      8192, 4096, 32_768, 32_768,
    ]);
  });

  it('S8 a given tier or priority goes before the rule; the class follows the tier', () => {
    expect(router.plan('brief', { tier: 'stretch' })).toMatchObject({
      tier: 'stretch',
      priority: 50,
      class: 'heavy',
    });
    expect(router.plan('task', { tier: 'routine' })).toMatchObject({
      priority: 100,
      class: 'light',
    });
    expect(router.plan('brief', { tier: null, priority: 0 })).toMatchObject({
      tier: 'routine',
      priority: 0,
    });
    expect(router.plan('dream', { tier: 'routine' }).class).toBe('housekeeping');
  });
});
