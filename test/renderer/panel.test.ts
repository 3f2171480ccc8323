import { fireEvent, render, screen, waitFor, within } from '@testing-library/svelte';
import axe from 'axe-core';
import { beforeEach, describe, expect, it } from 'vitest';
import { configSchema } from '../../main/base/config-schema.ts';
import App from '../../renderer/App.svelte';
import { CallError } from '../../renderer/client.ts';
import '../../renderer/views/OtherViews.svelte'; // translated before a test waits for it
import { sampleDraft, sampleView, testClient } from './fixtures.ts';

const CONFIG = configSchema.parse({});

beforeEach(() => {
  location.hash = '';
});

describe('panel', () => {
  it('D5 the one line comes first, with the facts that decide and why a job waits', async () => {
    render(App, { client: testClient({ panel: () => sampleView() }) });
    expect((await screen.findByRole('heading', { level: 1 })).textContent).toBe(
      'Waiting for you to step away',
    );
    expect(screen.getByText('1 heavy job · idle 0:42 of 5:00 · on mains')).toBeTruthy();
    const waiting = screen.getByRole('region', { name: 'Waiting for a lull' });
    expect(within(waiting).getByText('You are here.')).toBeTruthy();
    expect(within(waiting).getByText('earliest in 4 min 18 s')).toBeTruthy();
  });

  it('D11 every place is free of violations that axe can see', { timeout: 60_000 }, async () => {
    const client = testClient({
      panel: () => sampleView(),
      'drafts.list': () => [],
      'jobs.list': () => [],
      'jobs.history': () => [],
      'config.get': () => CONFIG,
      doctor: () => ({
        probes: [
          { fact: 'idleSeconds', source: 'a test', value: null, reason: 'not asked' },
          { fact: 'locked', source: 'a test', value: 'false', reason: null },
        ],
        checks: [{ name: 'disk', ok: false, detail: 'nearly full' }],
      }),
    });
    const { container } = render(App, { client });
    await screen.findByRole('heading', { level: 1 });
    for (const place of [
      'now',
      'drafts',
      'schedules',
      'stock',
      'more',
      'history',
      'settings',
      'machine',
    ]) {
      location.hash = `#/${place}`;
      await fireEvent(window, new HashChangeEvent('hashchange'));
      await screen.findByRole('heading', { level: 1 });
      const result = await axe.run(container, { rules: { 'color-contrast': { enabled: false } } });
      expect(result.violations.map((one) => `${place}: ${one.id}`)).toEqual([]);
    }
  });

  it('D9 only what is well has the full mark: a fault is named, and what is not known is hollow', async () => {
    const client = testClient({
      panel: () => sampleView(),
      doctor: () => ({
        probes: [],
        checks: [
          { name: 'database', ok: true, detail: 'sound' },
          { name: 'sleep', ok: false, detail: 'it cannot be held off' },
          { name: 'disk', ok: null, detail: 'free space is not known' },
        ],
      }),
    });
    location.hash = '#/machine';
    render(App, { client });
    const looks = async (detail: string) => {
      const row = (await screen.findByText(detail)).closest('li') as HTMLElement;
      const mark = [...(row.querySelector('.dot')?.classList ?? [])].filter((name) =>
        ['hollow', 'warm'].includes(name),
      );
      return [...mark, ...(within(row).queryByText('look at this') ? ['look at this'] : [])];
    };
    expect(await looks('sound')).toEqual([]);
    expect(await looks('it cannot be held off')).toEqual(['warm', 'look at this']);
    expect(await looks('free space is not known')).toEqual(['hollow']);
  });

  it('D4 approving asks again when something changed, and sends the token of what was shown', async () => {
    const client = testClient({
      panel: () => sampleView(),
      'drafts.approve': (input: { confirm?: string }) =>
        input.confirm
          ? { outcome: 'applied', files: ['orders/7.csv'] }
          : { outcome: 'changed', changes: ['Vanilla: 2 tubs are needed now.'], confirm: 'token' },
    });
    render(App, { client });
    await fireEvent.click(await screen.findByRole('button', { name: 'Approve' }));
    expect(await screen.findByText('Vanilla: 2 tubs are needed now.')).toBeTruthy();
    await fireEvent.click(screen.getByRole('button', { name: 'Approve anyway' }));
    expect(await screen.findByText('Written: orders/7.csv')).toBeTruthy();
    expect(
      client.calls.filter((one) => one.command === 'drafts.approve').map((one) => one.input),
    ).toEqual([{ id: 7 }, { id: 7, confirm: 'token' }]);
  });

  it('D5 a refusal is shown where it was asked, in one line with its remedy', async () => {
    const client = testClient({
      panel: () => sampleView(),
      'jobs.add': () => {
        throw new CallError(
          'queue_full',
          'The queue for heavy work is full.',
          'cancel something first',
        );
      },
    });
    render(App, { client });
    await fireEvent.input(await screen.findByRole('textbox', { name: /next lull/ }), {
      target: { value: 'Read my notes' },
    });
    await fireEvent.click(screen.getByRole('button', { name: 'Add' }));
    expect((await screen.findByRole('alert')).textContent).toBe(
      'The queue for heavy work is full. Cancel something first.',
    );
  });

  it('P8 each click on Add carries an identity of its own', async () => {
    const client = testClient({
      panel: () => sampleView(),
      'jobs.add': () => ({ job: 9, outcome: 'admitted' }),
    });
    render(App, { client });
    for (const text of ['one', 'two']) {
      await fireEvent.input(await screen.findByRole('textbox', { name: /next lull/ }), {
        target: { value: text },
      });
      await fireEvent.click(screen.getByRole('button', { name: 'Add' }));
      await screen.findByText('Added as job 9.');
    }
    const identities = client.calls
      .filter((one) => one.command === 'jobs.add')
      .map((one) => (one.input as { identity: string }).identity);
    expect(new Set(identities).size).toBe(2);
  });

  it('D2 a pause sends its scope and its length, and Escape closes the menu', async () => {
    const client = testClient({
      panel: () => sampleView(),
      pause: () => ({ all: null, heavy: { until: 1 } }),
    });
    render(App, { client });
    const button = await screen.findByRole('button', { name: /^Pause/ });
    await fireEvent.click(button);
    await fireEvent.keyDown(window, { key: 'Escape' });
    expect(screen.queryByRole('group', { name: 'Pause' })).toBeNull();
    await fireEvent.click(button);
    await fireEvent.click(screen.getByRole('checkbox', { name: 'Heavy work only' }));
    await fireEvent.click(screen.getByRole('button', { name: '1 hour' }));
    await waitFor(() =>
      expect(client.calls).toContainEqual({
        command: 'pause',
        input: { scope: 'heavy', forSeconds: 3600 },
      }),
    );
  });

  it('D8 a view that came with the page is drawn without a word, and asked for when the pushes are there', async () => {
    const client = testClient({ panel: () => sampleView({ detail: 'what it is now' }) });
    render(App, { client: { ...client, first: sampleView() } });
    expect(screen.getByText('1 heavy job · idle 0:42 of 5:00 · on mains')).toBeTruthy();
    expect(client.calls).toEqual([]);
    expect(await screen.findByText('what it is now')).toBeTruthy();
    expect(client.calls).toEqual([{ command: 'panel', input: {} }]);
  });

  it('D8 a push replaces only what it names, and a lost host is said', async () => {
    const client = testClient({ panel: () => sampleView() });
    render(App, { client });
    await screen.findByText('Replenish vanilla');
    client.push({
      event: 'panel',
      changed: { drafts: [sampleDraft({ id: 8, title: 'Replenish lemon' })] },
    });
    expect(await screen.findByText('Replenish lemon')).toBeTruthy();
    expect(screen.getByText('Summarise the supplier mails')).toBeTruthy();
    client.connection('away');
    expect(await screen.findByText(/Lull is not answering/)).toBeTruthy();
  });

  it('D4 markup in a title stays text', async () => {
    const client = testClient({
      panel: () => sampleView({ drafts: [sampleDraft({ title: '<img src=x onerror=alert(1)>' })] }),
    });
    const { container } = render(App, { client });
    expect(await screen.findByText('<img src=x onerror=alert(1)>')).toBeTruthy();
    expect(container.querySelector('img')).toBeNull();
  });

  it('D6 a schedule is previewed before it is saved', async () => {
    const client = testClient({
      panel: () => sampleView(),
      'schedule.preview': () => [{ at: 1, local: 'Sun 29 Mar 07:00', note: 'clocks go forward' }],
    });
    location.hash = '#/schedules';
    render(App, { client });
    const form = await screen.findByRole('form', { name: 'New schedule', hidden: true });
    await fireEvent.click(
      within(form).getByRole('button', { name: 'Show the next five', hidden: true }),
    );
    expect(await screen.findByText('clocks go forward')).toBeTruthy();
    expect(client.calls.at(-1)).toMatchObject({
      command: 'schedule.preview',
      input: { rule: { kind: 'cron', expression: '0 7 * * *' } },
    });
  });
});
