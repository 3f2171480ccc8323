import { basename } from 'node:path';
import { expect, it } from 'vitest';
import { lull, rowsIn, testHome, until } from '../support/host.ts';
import { alphaOf, clockTime, commandsOf, desktop } from './desktop.ts';

it('D1 D2 D3 a pause from the menu stops the queue and is seen on the icon; resumed, the job runs, and its notification opens the draft', async () => {
  const home = testHome();
  const app = await desktop(home);
  const call = await commandsOf(home);
  expect(await app.ask('tray')).toMatchObject({
    icon: { size: 16, double: 32, template: true },
    title: '',
    toolTip: 'Idle',
    menu: null, // on macOS an attached menu would open together with the panel
  });

  const before = Date.now();
  await app.ask('press', { button: 'right-click' });
  await app.ask('choose', { path: ['Pause everything', '1 hour'] });
  const paused = await app.until('tray', ({ icon }) => icon.path.includes('paused'));
  const times = [before, Date.now()].map((at) => clockTime(at + 3_600_000));
  expect(times.map((time) => `Paused until ${time}`)).toContain(
    paused.toolTip.replace(' tomorrow', ''),
  );
  expect(basename(paused.icon.path)).toBe('tray-paused-16Template.png');
  const icon = alphaOf(paused.icon.path);
  expect([icon.at(6, 8), icon.at(8, 8), icon.at(10, 8)]).toEqual([
    expect.toSatisfy((alpha: number) => alpha > 200),
    0, // between the bars
    expect.toSatisfy((alpha: number) => alpha > 150),
  ]);

  const { job } = await call('jobs.add', { text: 'What should I know of vanilla?', files: [] });
  expect(await call('why', { job })).toMatchObject([{ code: 'paused' }]);
  expect((await call('jobs.show', { id: job })).state).toBe('queued');

  await app.ask('press', { button: 'right-click' });
  const resume = (await app.ask('menu')).find(({ label }) => label.startsWith('Resume'))?.label;
  expect(resume).toMatch(/^Resume everything \(paused until \d\d:\d\d( tomorrow)?\)$/);
  await app.ask('choose', { path: [resume ?? ''] });
  await until(async () => (await call('jobs.show', { id: job })).state === 'done');

  const [told] = await app.until('notifications', (all) => all.length > 0);
  expect(told).toMatchObject({
    id: 'draft-1',
    options: { title: 'A draft for you', silent: true },
  });
  const needy = await app.until('tray', ({ title }) => title === '1');
  expect(basename(needy.icon.path)).toBe('tray-needs-you-16Template.png');
  expect(needy.toolTip).toMatch(/· 1 draft for you$/);

  await app.ask('clickNotification', { id: 'draft-1' });
  const address = 'app://lull/index.html#/drafts/1';
  const [panel] = await app.until('windows', ([one]) => one?.url === address);
  expect(panel).toMatchObject({ focused: true, visible: true });
  const page = await app.page();
  await page.getByText('What should I know of vanilla?').first().waitFor();

  // Decided elsewhere, a draft takes its notification along.
  await app.ask('press', {});
  await call('jobs.add', { text: 'And of chocolate?', files: [] });
  await app.until('notifications', (all) => all.some(({ id, live }) => id === 'draft-2' && live));
  await call('drafts.dismiss', { id: 1 });
  await call('drafts.dismiss', { id: 2 });
  await app.until('tray', ({ title }) => title === '');
  expect((await app.ask('notifications')).map(({ live }) => live)).toEqual([false, false]);
  expect(await app.quit()).toBe(0);
});

it('D2 run now asks first, says what it waives, and runs the job in spite of the owner', async () => {
  const home = testHome({ idleSeconds: 2, powerSource: 'mains' });
  const app = await desktop(home);
  const call = await commandsOf(home);
  const { job } = await call('jobs.add', { text: 'Look into freezers.', files: [] });
  await app.until('tray', ({ icon }) => icon.path.includes('waiting'));
  const choose = async () => {
    await app.ask('press', { button: 'right-click' });
    const run = (await app.ask('menu')).find(({ label }) => label === 'Run now');
    await app.ask('choose', { path: ['Run now', run?.items?.[0]?.label ?? ''] });
  };

  await choose();
  const asked = await app.dialog();
  expect(asked.message).toMatch(/^Run ".*freezers.*" now\?$/);
  expect(asked.detail).toMatch(/in spite of your presence/);
  expect(asked.checkboxLabel).toBeUndefined();
  await app.ask('answerDialog', { response: asked.cancelId ?? -1 });
  expect((await call('jobs.show', { id: job })).state).toBe('queued');

  home.setFacts({ idleSeconds: 2, powerSource: 'battery', percent: 80 });
  await choose();
  expect((await app.dialog(1)).checkboxLabel).toBe('Also on battery');
  await app.ask('answerDialog', { response: 0, checked: true });
  await until(async () => (await call('jobs.show', { id: job })).state === 'done');
});

it('D1 quitting with a heavy run in flight ends well, and the next start goes on at its checkpoint', async () => {
  const home = testHome();
  home.file('one.txt', 'Vanilla sells in June.');
  const folder = home.file('two.txt', 'Chocolate sells always.').replace(/\/two\.txt$/, '');
  const app = await desktop(home, { env: { LULL_OFFLINE_DELAY_MS: '1500' } });
  const call = await commandsOf(home);
  const files = [`${folder}/one.txt`, `${folder}/two.txt`];
  const { job } = await call('jobs.add', { text: 'What sells when?', files });
  const row = () =>
    rowsIn<{ state: string; attempts: number; checkpoint: string | null }>(
      home,
      'SELECT state, attempts, checkpoint FROM jobs WHERE id = ?',
      job,
    )[0];
  await until(() => row()?.checkpoint, 15_000);
  await app.until('tray', ({ icon }) => icon.path.includes('working'));

  await app.ask('press', { button: 'right-click' });
  await app.ask('choose', { path: ['Quit Lull'] });
  await app.until('tray', ({ toolTip }) => toolTip === 'Lull is stopping');
  expect(await app.exited).toBe(0);
  const left = row();
  expect(left).toMatchObject({ state: 'queued', attempts: 0 });
  expect(left?.checkpoint).not.toBeNull();
  expect(
    rowsIn(home, "SELECT payload FROM events WHERE job = ? AND kind = 'job.yielded'", job),
  ).toEqual([{ payload: '{"cause":"quitting"}' }]);

  await desktop(home);
  const again = await commandsOf(home);
  await until(async () => (await again('jobs.show', { id: job })).state === 'done', 15_000);
  expect(await again('drafts.list', {})).toHaveLength(1);
  const [run] = rowsIn<{ messages: string }>(home, 'SELECT messages FROM transcripts');
  // The turn that was checkpointed was not asked for again.
  const listings = run?.messages.match(/"name":"list_files"/g) ?? [];
  expect(listings).toHaveLength(1);
});

it('D1 a system that goes down leaves running work the time to go back to the queue', async () => {
  const home = testHome();
  const app = await desktop(home, { env: { LULL_OFFLINE_DELAY_MS: '60000' } });
  const call = await commandsOf(home);
  const { job } = await call('jobs.add', { text: 'What sells when?' });
  await app.until('tray', ({ icon }) => icon.path.includes('working'));
  expect(await app.ask('power', { event: 'shutdown' })).toEqual({ prevented: true });
  expect(await app.exited).toBe(0);
  expect(rowsIn(home, 'SELECT clean FROM runs')).toEqual([{ clean: 1 }]);
  expect(rowsIn(home, 'SELECT state, attempts FROM jobs WHERE id = ?', job)).toEqual([
    { state: 'queued', attempts: 0 },
  ]);
});

it('D2 lull open opens the panel of the app, which has no link', async () => {
  const home = testHome();
  const app = await desktop(home);
  const opened = await lull(home, ['open']);
  expect(opened).toMatchObject({ code: 0, out: 'The panel of the app is open.\n', err: '' });
  await app.until('windows', ([panel]) => panel?.visible === true);
  expect(await app.quit()).toBe(0);
});

it('D1 a system that goes down waits a moment for the app, which stops by itself', async () => {
  const home = testHome();
  const app = await desktop(home);
  expect(await app.ask('power', { event: 'shutdown' })).toEqual({ prevented: true });
  expect(await app.exited).toBe(0);
  expect(rowsIn(home, 'SELECT clean FROM runs')).toEqual([{ clean: 1 }]);
});
