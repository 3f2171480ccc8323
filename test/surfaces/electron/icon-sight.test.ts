import { expect, it } from 'vitest';
import { iconSight } from '../../../main/surfaces/electron/icon-sight.ts';
import { FakeClock, settle } from '../../support/fake-clock.ts';

/** An icon on a desktop whose place for icons a test brings and takes; `by`: what macOS hides it by. */
function sightOn(platform: NodeJS.Platform, shows: boolean | null) {
  const clock = new FakeClock();
  const desktop = { shows, by: null as 'setting' | null, renewed: 0, told: [] as string[] };
  const sight = iconSight({
    ...{ platform, clock },
    tray: { hiddenBy: () => desktop.by, renew: () => void desktop.renewed++ },
    trayHost: async () => desktop.shows,
  });
  sight.follow(({ title }) => desktop.told.push(title));
  const after = async (ms: number) => {
    await settle();
    await clock.advance(ms);
    await settle();
    return [desktop.renewed, desktop.told.length];
  };
  return { clock, desktop, sight, after };
}

it('D1 a desktop without a place for icons is told of half a minute after the start, not before', async () => {
  const { after, clock } = sightOn('linux', false);
  expect(await after(29_000)).toEqual([0, 0]);
  expect(await after(1_000)).toEqual([0, 1]);
  expect(clock.pendingTimers).toBe(0);
});

it('D1 a place that comes meanwhile gets the icon made anew, once, and nothing is told', async () => {
  const { after, clock, desktop } = sightOn('linux', false);
  await after(2_000);
  desktop.shows = true;
  expect(await after(1_000)).toEqual([1, 0]);
  expect(await after(60_000)).toEqual([1, 0]);
  expect(clock.pendingTimers).toBe(0);
});

it('D1 an icon that found its place is left alone, also where the bus is silent for a while', async () => {
  const { after, desktop, sight } = sightOn('linux', true);
  await after(1_000);
  desktop.shows = null;
  expect(await sight.hidden()).toBeNull();
  desktop.shows = true;
  expect(await sight.hidden()).toBeNull();
  expect(await after(60_000)).toEqual([0, 0]);
});

it('D1 an icon of which the bus did not tell whether it had a place is made anew when one is seen', async () => {
  const { after, desktop, sight } = sightOn('linux', null);
  await after(1_000);
  desktop.shows = true;
  expect(await sight.hidden()).toBeNull();
  expect(await after(60_000)).toEqual([1, 0]);
});

it('D1 a look of the panel makes it anew as well, once however many look', async () => {
  const { after, desktop, sight } = sightOn('linux', false);
  expect((await sight.hidden())?.body).toMatch(/This desktop shows no icons/);
  desktop.shows = true;
  expect(await Promise.all([sight.hidden(), sight.hidden()])).toEqual([null, null]);
  expect(await after(0)).toEqual([1, 0]);
});

it('D1 on macOS the icon is looked at once it has its place, and what hides it is told', async () => {
  const { after, desktop, sight } = sightOn('darwin', null);
  desktop.by = 'setting';
  expect(await after(2_900)).toEqual([0, 0]);
  expect(await after(100)).toEqual([0, 1]);
  expect((await sight.hidden())?.body).toMatch(/System Settings/);
});
