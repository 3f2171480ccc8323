import { spawnSync } from 'node:child_process';
import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Bridge } from '../../renderer/electron-client.ts';
import { HAS_BUS, startBus, startFakeWatcher } from '../native/servers.ts';
import { testHome } from '../support/host.ts';
import { temporaryFolder } from '../support/store.ts';
import { commandsOf, desktop } from './desktop.ts';
import { type RunningApp, startApp } from './drive.ts';

const visible = (on: boolean) => (all: { visible: boolean }[]) => all[0]?.visible === on;
const seen = (page: Page) => page.evaluate(() => document.visibilityState);

/** How often the panel says so; asked anew each time, for a browser's page in the background does not tell. */
const tells = (page: Page, text: string) =>
  expect.poll(() => page.getByText(text).count(), { timeout: 20_000 });

/** Opens the panel by its icon; its page. */
async function opened(app: RunningApp): Promise<Page> {
  await app.ask('press', {});
  await app.until('windows', visible(true));
  return app.page();
}

describe('the panel under the icon', () => {
  it('D1 opens under the icon, goes with the focus, by Escape and by the same press, and costs nothing unseen', async () => {
    const home = testHome();
    const app = await desktop(home);
    const call = await commandsOf(home);
    expect(await app.ask('windows')).toMatchObject([{ visible: false }]);

    const page = await opened(app);
    const [panel] = await app.ask('windows');
    expect(panel).toMatchObject({
      bounds: { x: 1012, y: 25, width: 400, height: 600 },
      focused: true,
      options: { frame: false, type: 'panel', skipTaskbar: true },
      set: { alwaysOnTop: [true, 'pop-up-menu'] },
    });
    await page.getByRole('heading', { name: 'Idle' }).waitFor();

    // What another click outside does: the focus goes, and the panel with it.
    await app.ask('blur', {});
    expect(await app.ask('windows')).toMatchObject([{ visible: false }]);
    await expect.poll(() => seen(page)).toBe('hidden');

    // A press on the icon takes the focus first and comes second: it closes, and does not open again.
    await new Promise((resolve) => setTimeout(resolve, 300));
    await opened(app);
    await app.ask('blur', {});
    await app.ask('press', {});
    expect(await app.ask('windows')).toMatchObject([{ visible: false }]);
    await new Promise((resolve) => setTimeout(resolve, 300));
    await opened(app);
    await expect.poll(() => seen(page)).toBe('visible');
    await app.ask('press', {});
    expect(await app.ask('windows')).toMatchObject([{ visible: false }]);

    // Unseen, the page is told of many changes once at most, and of all of them when it is shown.
    await page.evaluate(() => {
      const heard: unknown[] = [];
      Object.assign(window, { heard });
      (window as unknown as { lull: Bridge }).lull.follow((message) => heard.push(message));
    });
    const heard = () =>
      page.evaluate(() => (window as unknown as { heard: { event: string }[] }).heard);
    await expect.poll(async () => (await heard()).map(({ event }) => event)).toContain('hello');
    for (const scope of ['all', 'heavy'] as const) {
      await call('pause', { scope });
      await app.until('tray', ({ icon }) => icon.path.includes('paused'));
      await call('resume', {});
      await app.until('tray', ({ icon }) => icon.path.includes('idle'));
    }
    expect((await heard()).length).toBeLessThanOrEqual(2);
    await call('pause', { scope: 'all' });
    await app.until('tray', ({ icon }) => icon.path.includes('paused'));
    await opened(app);
    await page.getByRole('heading', { name: 'Paused until you resume' }).waitFor();
    expect((await heard()).length).toBeLessThanOrEqual(4);

    await page.keyboard.press('Escape');
    await app.until('windows', visible(false));
    expect(await app.ask('log')).not.toContainEqual(
      expect.objectContaining({ type: expect.stringMatching(/network|page-error|page-console/) }),
    );
  });

  it('D1 follows its icon to another screen, and keeps the size it was given', async () => {
    const app = await desktop(testHome());
    await app.ask('displays', {
      displays: [
        {
          id: 1,
          bounds: { x: 0, y: 0, width: 1440, height: 900 },
          workArea: { x: 0, y: 25, width: 1440, height: 875 },
        },
        {
          id: 2,
          bounds: { x: 1440, y: 0, width: 1920, height: 1080 },
          workArea: { x: 1440, y: 37, width: 1920, height: 1043 },
        },
      ],
    });
    await app.ask('moveTray', { x: 3000, y: 0, width: 30, height: 37 });
    await opened(app);
    expect(await app.ask('windows')).toMatchObject([
      { bounds: { x: 2815, y: 37, width: 400, height: 600 } },
    ]);
    await app.ask('resize', { width: 700, height: 900 });
    await app.ask('press', {});
    await app.ask('moveTray', { x: 1200, y: 0, width: 24, height: 24 });
    await opened(app);
    expect(await app.ask('windows')).toMatchObject([
      { bounds: { x: 732, y: 25, width: 700, height: 867 } },
    ]);
    await app.ask('displays', {
      displays: [
        {
          id: 1,
          bounds: { x: 0, y: 0, width: 1280, height: 800 },
          workArea: { x: 0, y: 25, width: 1280, height: 775 },
        },
      ],
    });
    expect(await app.ask('windows')).toMatchObject([{ visible: false }]);
  });

  it('D1 stays while a file is chosen, and a page that crashed is made anew', async () => {
    const home = testHome();
    const app = await desktop(home);
    const page = await opened(app);
    await page.evaluate(() => {
      location.hash = '#/stock';
    });
    const chooser = page.waitForEvent('filechooser');
    await page.locator('input[type=file]').click();
    await chooser;
    // Calls are taken in their order: with this answer, what the click asked for has been done.
    await page.evaluate(() => (window as unknown as { lull: Bridge }).lull.call('status', {}));
    await app.ask('blur', {});
    expect(await app.ask('windows')).toMatchObject([{ visible: true }]);
    await (await chooser).setFiles(join(import.meta.dirname, '../../resources/demo/inventory.csv'));
    await page
      .getByText(/13 added/)
      .first()
      .waitFor();
    await app.ask('press', {});
    await app.until('windows', visible(false));

    await app.ask('crash', {});
    await app.until('windows', (all) => all.length === 0);
    const again = await opened(app);
    await again.getByRole('heading', { name: 'Idle' }).waitFor();
  });

  it('D1 opens as an ordinary window too, which stays without the focus', async () => {
    const app = await desktop(testHome());
    await app.ask('press', { button: 'right-click' });
    await app.ask('choose', { path: ['Open in a window'] });
    const all = await app.until('windows', (windows) => windows[1]?.visible === true);
    expect(all[1]).toMatchObject({ focused: true, bounds: { width: 760, height: 800 } });
    expect(all[1]?.options.frame).toBeUndefined();
    const page = await app.page(1);
    await page.getByRole('heading', { name: 'Idle' }).waitFor();
    await app.ask('blur', { index: 1 });
    expect((await app.ask('windows'))[1]).toMatchObject({ visible: true });
    await app.ask('close', { index: 1 });
    expect(await app.ask('windows')).toHaveLength(1);
    expect(await app.quit()).toBe(0);
  });
});

describe('the way in', () => {
  it('D1 a second start opens the panel of the first and leaves; so does Finder', async () => {
    const home = testHome();
    const app = await desktop(home);
    const second = spawnSync(
      process.execPath,
      [join(import.meta.dirname, '../../node_modules/electron/cli.js'), '.'],
      {
        cwd: join(import.meta.dirname, '../..'),
        env: {
          ...process.env,
          PATH: `${join(process.execPath, '..')}:${process.env.PATH}`,
          ELECTRON_OVERRIDE_DIST_PATH: join(import.meta.dirname, 'standin'),
          LULL_HOME: home.dir,
        },
        encoding: 'utf8',
      },
    );
    expect({ status: second.status, said: second.stdout + second.stderr }).toEqual({
      ...{ status: 0, said: '' },
    });
    await app.until('windows', visible(true));
    await app.ask('press', {});
    await app.until('windows', visible(false));
    await app.ask('appEvent', { event: 'activate' });
    await app.until('windows', visible(true));
  });

  it('D1 the first start shows the panel, a later one only makes it ready', async () => {
    const home = testHome();
    const args = ['--model', 'offline', '--facts', home.factsFile];
    const first = await startApp({ home: home.dir, args });
    onTestFinished(() => first.end());
    await first.until('windows', visible(true));
    expect(await first.quit()).toBe(0);
    const later = await desktop(home);
    await later.until('windows', ([one]) => (one?.url ?? '') !== '');
    expect(await later.ask('windows')).toMatchObject([{ visible: false }]);
  });

  it('D3 a notification that was clicked while the app did not run leads to its draft', async () => {
    const app = await desktop(testHome(), { env: { STANDIN_NOTIFICATION: 'draft-7' } });
    await app.until('windows', ([one]) => one?.url === 'app://lull/index.html#/drafts/7');
    expect(await app.ask('windows')).toMatchObject([{ visible: true }]);
  });

  it('D1 an icon that the system hides is told, with the way to show it; the panel opens where it would be', async () => {
    const app = await desktop(testHome());
    await app.ask('moveTray', { x: 1200, y: 900, width: 24, height: 24 });
    await app.ask('appEvent', { event: 'activate' });
    const [panel] = await app.until('windows', visible(true));
    expect(panel?.bounds).toEqual({ x: 1032, y: 25, width: 400, height: 600 });
    const [told] = await app.until('notifications', (all) => all.length > 0);
    expect(told?.options.body).toMatch(/System Settings → Menu Bar/);
    const page = await app.page();
    await tells(page, 'The icon of Lull is hidden. Show it in System Settings').toBe(1);
    await app.ask('blur', {});
    await expect.poll(() => seen(page)).toBe('hidden');
    await app.ask('moveTray', { x: 1200, y: 0, width: 24, height: 24 });
    await app.ask('appEvent', { event: 'activate' });
    await tells(page, 'The icon of Lull is hidden').toBe(0);
  });

  it('D1 an icon under the camera housing is told, with how to make room', async () => {
    const app = await desktop(testHome());
    const housed = {
      ...{ id: 1, internal: true },
      bounds: { x: 0, y: 0, width: 1512, height: 982 },
      workArea: { x: 0, y: 38, width: 1512, height: 944 },
    };
    await app.ask('displays', { displays: [housed] });
    await app.ask('moveTray', { x: 750, y: 0, width: 24, height: 37 });
    await app.ask('appEvent', { event: 'activate' });
    await app.until('windows', visible(true));
    const page = await app.page();
    await tells(page, 'the icon lies under the camera').toBe(1);
  });

  it.runIf(HAS_BUS)('D1 a desktop on Linux that shows no icons of apps is told of', async () => {
    const bus = await startBus();
    const env = { DBUS_SESSION_BUS_ADDRESS: bus.address };
    const app = await desktop(testHome(), { platform: 'linux', env });
    await app.ask('appEvent', { event: 'second-instance' });
    await app.until('windows', visible(true));
    const page = await app.page();
    await tells(page, 'This desktop shows no icons of apps').toBe(1);
    await app.until('notifications', (all) => all.some(({ id }) => id === 'icon'));

    // The owner adds a place for them.
    await startFakeWatcher(bus.address, true);
    await app.ask('blur', {});
    await expect.poll(() => seen(page)).toBe('hidden');
    await app.ask('appEvent', { event: 'second-instance' });
    await app.until('windows', visible(true));
    await tells(page, 'This desktop shows no icons of apps').toBe(0);
  });

  it.runIf(HAS_BUS)(
    'D1 a place for icons that comes after Lull, as at login, gets its icon, and nothing is told',
    async () => {
      const bus = await startBus();
      const env = { DBUS_SESSION_BUS_ADDRESS: bus.address };
      const app = await desktop(testHome(), { platform: 'linux', env });
      expect(await app.ask('tray')).toMatchObject({ made: 1, toolTip: 'Idle' });
      await startFakeWatcher(bus.address, true);
      const anew = await app.until('tray', ({ made }) => made === 2);
      expect(anew).toMatchObject({ toolTip: 'Idle', icon: { size: 32 } });
      await app.ask('choose', { path: ['Pause everything', 'Until resumed'] });
      await app.until('tray', ({ icon }) => /tray-paused/.test(icon.path));
      await opened(app);
      expect(await app.ask('notifications')).toEqual([]);
    },
  );

  it('D1 what the system tells is a hint to read the facts again; locked, nobody sees the panel', async () => {
    const home = testHome();
    // Through a link the file of facts is not watched: without a hint it is read every 30 s.
    const facts = join(temporaryFolder(), 'facts.json');
    const say = (idleSeconds: number, powerSource = 'mains') =>
      writeFileSync(facts, JSON.stringify({ idleSeconds, powerSource, percent: 80 }));
    say(2);
    rmSync(home.factsFile);
    symlinkSync(facts, home.factsFile);
    const app = await desktop(home);
    const call = await commandsOf(home);
    const { job } = await call('jobs.add', { text: 'Wait until I am away.', files: [] });
    const state = async () => (await call('jobs.list', {})).find(({ id }) => id === job)?.state;
    await app.until('tray', ({ icon }) => icon.path.includes('waiting'));
    // Each of them is heard: what the job waits for changes with the facts, one way and the other.
    const line = async () => (await app.ask('tray')).toolTip;
    let unplugged = false;
    for (const event of [
      ...['suspend', 'resume', 'on-battery', 'on-ac', 'thermal-state-change'],
      ...['speed-limit-change', 'unlock-screen', 'user-did-become-active'],
    ]) {
      unplugged = !unplugged;
      if (unplugged) say(900, 'battery');
      else say(2);
      await app.ask('power', { event });
      const waitsFor = unplugged
        ? 'On battery: 1 heavy job waits for mains'
        : 'Waiting for you to step away';
      await expect.poll(line, { message: event, timeout: 8_000 }).toBe(waitsFor);
    }
    await opened(app);
    say(900);
    expect(await state()).toBe('queued');
    await app.ask('power', { event: 'lock-screen' });
    await app.until('windows', visible(false));
    await expect.poll(state, { timeout: 5_000 }).toBe('done');
  });
});

describe('on a desktop other than macOS', () => {
  it('D1 D2 the menu is attached and the icon has colours of its own', async () => {
    const home = testHome();
    const app = await desktop(home, { platform: 'linux' });
    const call = await commandsOf(home);
    const first = await app.ask('tray');
    expect(first.icon).toMatchObject({ size: 32, template: false });
    expect(first.icon.path).toMatch(/tray-idle-colour\.png$/);
    expect(first.menu?.map(({ label }) => label)).toContain('Pause everything');

    await app.ask('choose', { path: ['Pause everything', 'Until resumed'] });
    const paused = await app.until('tray', ({ icon }) => /tray-paused-colour/.test(icon.path));
    expect(paused.menu?.map(({ label }) => label)).toContain('Resume everything');
    await app.ask('dark', { on: true });
    await app.until('tray', ({ icon }) => /tray-paused-light/.test(icon.path));
    await call('resume', {});
    await app.until('tray', ({ icon }) => /tray-idle-light/.test(icon.path));

    // Without a place of the icon the panel opens at the pointer.
    await opened(app);
    expect(await app.ask('windows')).toMatchObject([{ bounds: { x: 500, y: 25 } }]);
    expect((await app.ask('windows'))[0]?.options.type).toBeUndefined();
    app.kill('SIGTERM');
    expect(await app.exited).toBe(0);
  });
});
