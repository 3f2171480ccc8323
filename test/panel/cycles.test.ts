import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { CHROMIUM } from '../support/chromium.ts';
import { commitFiles, git, stateOf } from '../support/git-repository.ts';
import { committedSample } from '../support/roster-den.ts';
import { AXE, openAll, tooWide, violations } from './axe.ts';
import { soon, useBrowser } from './browser.ts';
import { type PanelHost, panelHost } from './host.ts';

async function accessible(page: Page, what: string): Promise<void> {
  await page.evaluate(AXE);
  await openAll(page);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await violations(page, colorScheme === 'dark'), `${what} ${colorScheme}`).toEqual([]);
  }
  expect(await tooWide(page), what).toEqual([]);
}

/** Lets one daily cycle run while the owner is away; gives its draft. */
async function ranOnce(host: PanelHost, path: string): Promise<number> {
  const { job } = await host.call('cycles.runNow', { path, cadence: 'daily' });
  host.facts({ idleSeconds: 900 });
  await soon(async () => (await host.call('jobs.show', { id: job })).state).toBe('done');
  host.facts({ idleSeconds: 5 });
  return (await host.call('jobs.show', { id: job })).draft as number;
}

describe.runIf(CHROMIUM)('cycles in the panel', { timeout: 240_000 }, () => {
  const openPanel = useBrowser();

  it('T6 a cycle waits for the owner to leave, runs in its own tree, and is merged by their word', async () => {
    const sample = committedSample();
    const before = stateOf(sample.root);
    const host = await panelHost();
    const { page, go } = await openPanel(host);
    await go('cycles');
    await page.getByText('A repository can hold a roster of agents').waitFor();
    await accessible(page, 'the empty list');

    const form = page.getByRole('form', { name: 'Add a repository' });
    await form.getByLabel('Folder of the repository').fill('/nowhere');
    await form.getByLabel('The next daily agent').selectOption('only when I ask');
    await page.keyboard.press('Enter');
    await form.getByRole('button', { name: 'Say what this means' }).click();
    await page.getByText('There is no such folder: /nowhere').waitFor();
    await form.getByLabel('Folder of the repository').fill(sample.root);
    await form.getByRole('button', { name: 'Say what this means' }).click();
    const consent = page.getByRole('alertdialog');
    await consent.getByText(/it can change files and reach the network/).waitFor();
    await consent.getByText('audit-agent, ci-agent, docs-agent').waitFor();
    await accessible(page, 'the consent');
    expect(await host.call('config.get', { key: 'roster.repositories' })).toEqual([]);
    await consent.getByRole('button', { name: 'I agree: add it' }).click();
    const card = page.getByRole('article', { name: sample.root });
    await card.getByText('3 agents, only when you ask').waitFor();
    expect(await host.call('config.get', { key: 'roster.repositories' })).toMatchObject([
      {
        path: sample.root,
        consent: { at: expect.any(Number), said: expect.stringMatching(/^A cycle starts/) },
      },
    ]);
    await form.getByLabel('Folder of the repository').fill(sample.root);
    await form.getByRole('button', { name: 'Say what this means' }).click();
    await consent.getByRole('button', { name: 'Not now' }).click();
    await card.getByRole('button', { name: 'Whose turn is next?' }).click();
    await card.getByText('audit-agent', { exact: true }).waitFor();
    await card.getByText('The lock is kept on this machine.').waitFor();

    await card.getByRole('button', { name: 'Run daily now' }).click();
    await card.getByText(/^Job \d+ waits for the next lull/).waitFor();
    const [waits] = await host.call('why', {});
    expect(waits).toMatchObject({ code: 'active' });
    expect(git(sample.root, 'branch', '--list', 'lull/*')).toBe('');

    host.facts({ idleSeconds: 900 });
    await page.getByRole('link', { name: 'audit-agent' }).waitFor({ timeout: 120_000 });
    await page.getByText('completed').waitFor({ timeout: 120_000 });
    const [draft] = await host.call('drafts.list', {});
    const id = draft?.id ?? 0;
    await page.getByRole('link', { name: `Draft ${id}` }).click();
    await page.getByRole('heading', { level: 1, name: /^audit-agent in / }).waitFor();
    await page.getByText('Line by line').click();
    await page.getByText('+by audit-agent').waitFor();
    await page.getByText(/What audit-agent learned/).waitFor();
    await accessible(page, 'the draft');
    expect(stateOf(sample.root).head).toBe(before.head);
    expect(git(sample.root, 'status', '--porcelain')).toBe('');

    await page.getByRole('button', { name: 'Merge' }).click();
    await page.getByText('Merged', { exact: true }).waitFor();
    expect(git(sample.root, 'show', 'main:work.txt')).toContain('by audit-agent');
    expect(git(sample.root, 'status', '--porcelain')).toBe('');
    await soon(() => git(sample.root, 'branch', '--list', 'lull/*')).toBe('');
  });

  it('T6 dismissing deletes the branch, and a change of the owner’s in the way is named', async () => {
    const sample = committedSample();
    const host = await panelHost();
    const path = sample.root;
    await host.call('cycles.add', { path, consent: true });
    const first = await ranOnce(host, path);
    const { page, go } = await openPanel(host);
    const begin = git(path, 'rev-parse', 'main');
    await go(`drafts/${first}`);
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await page.getByText('Dismissed.').waitFor();
    await soon(() => git(path, 'branch', '--list', 'lull/*')).toBe('');
    await page.getByRole('button', { name: 'Undo' }).click();
    await soon(() => git(path, 'branch', '--list', 'lull/*')).toContain('lull/daily/');
    expect(git(path, 'rev-parse', 'main')).toBe(begin);

    commitFiles(path, { 'work.txt': 'by the owner\n' });
    const before = stateOf(path);
    await page.getByRole('button', { name: 'Merge' }).click();
    await page
      .getByText(/It could not be carried out: it conflicts with main: work\.txt/)
      .first()
      .waitFor();
    expect(stateOf(path)).toEqual(before);

    git(path, 'reset', '--quiet', '--hard', begin);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('Merged', { exact: true }).waitFor();
    expect(git(path, 'show', 'main:work.txt')).toContain('by audit-agent');
    await soon(() => git(path, 'branch', '--list', 'lull/*')).toBe('');
  });
});
