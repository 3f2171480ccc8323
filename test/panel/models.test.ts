import { readFileSync, writeFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CHROMIUM } from '../support/chromium.ts';
import { CATALOGUE } from '../support/model-server/catalogue.ts';
import { startTestServer, type TestServerOptions } from '../support/ollama-server/server.ts';
import { startOpenaiServer } from '../support/openai-server/server.ts';
import { AXE, openAll, tooWide, violations } from './axe.ts';
import { PATIENT, soon, useBrowser } from './browser.ts';
import { AT_THE_DESK, panelHost } from './host.ts';

const portOf = ({ url }: { url: string }) => Number(new URL(url).port);

async function ollama(options: TestServerOptions = {}) {
  const server = await startTestServer(options);
  onTestFinished(() => server.close());
  return server;
}

async function lmStudio() {
  const server = await startOpenaiServer({ flavour: 'lm-studio' });
  onTestFinished(() => server.close());
  return server;
}

/** A host that looks on these ports, with room for models of use. */
function hostFor(...servers: { url: string }[]) {
  return panelHost({
    servers: true,
    ports: servers.map(portOf),
    facts: { ...AT_THE_DESK, idleSeconds: 900 },
    prepare: (home) => writeFileSync(home.config, '{"models":{"budgetGb":24}}'),
  });
}

async function accessible(page: Page, what: string): Promise<void> {
  await page.evaluate(AXE);
  await openAll(page);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await violations(page, colorScheme === 'dark'), `${what} ${colorScheme}`).toEqual([]);
  }
  expect(await tooWide(page), what).toEqual([]);
}

const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent?.trim());

describe.runIf(CHROMIUM)('the panel and the models of this machine', PATIENT, () => {
  const openPanel = useBrowser();

  it('D7 an empty Lull looks by itself, proposes with reasons, and is set up by two presses', async () => {
    const host = await hostFor(await ollama(), await lmStudio());
    const { page } = await openPanel(host);
    const start = page.getByRole('region', { name: 'Where to begin' });
    await start.getByText(/^Found: Ollama with \d+ models; LM Studio with \d+ models\.$/).waitFor();
    await start.getByText(/of memory, of which models may use 24\.0 GB/).waitFor();
    await start.getByText(/\d+ models left out/).click();
    await start
      .getByText(/runs on another machine/)
      .first()
      .waitFor();
    expect(await host.call('config.get', { key: 'models.servers' })).toEqual([]);
    await accessible(page, 'the proposal');

    const { proposal } = await host.call('models.discover', {});
    await start.getByRole('button', { name: 'Use these models' }).click();
    await start.getByText('These models serve from now on.').waitFor();
    await soon(() => focused(page)).toBe('Look again');
    const tiers = (await host.call('config.get', { key: 'models.tiers' })) as object;
    expect(tiers).toMatchObject({
      synthesis: {
        server: proposal.tiers?.synthesis.server,
        model: proposal.tiers?.synthesis.model,
      },
    });

    await start.getByLabel('Every day at').fill('06:30');
    await start.getByRole('button', { name: 'Prepare a draft order' }).click();
    await start.waitFor({ state: 'detached' });
    expect(await host.call('schedule.list', {})).toMatchObject([
      { id: 'morning', rule: { kind: 'cron', expression: '30 6 * * *' } },
    ]);
  });

  it('D7 a figure that no server can tell is asked for, and the owner’s own is stored', async () => {
    const host = await hostFor(await lmStudio());
    const { page, go } = await openPanel(host);
    const begin = page.getByRole('region', { name: 'Where to begin' });
    await begin.getByText(/^Found: LM Studio with \d+ models\.$/).waitFor(); // it has looked by itself
    await go('models');
    await page.getByRole('button', { name: 'Look again', exact: true }).press('Enter');
    const proposal = page.getByRole('form', { name: 'The proposal' });
    const figure = proposal.getByLabel('Memory it takes, GB').first();
    await figure.fill('');
    await proposal.getByRole('button', { name: 'Use these models' }).click();
    expect(await proposal.count()).toBe(1); // a figure is needed
    await figure.fill('7.5');
    await page.keyboard.press('Enter');
    await page.getByText('These models serve from now on.').waitFor();
    const stored = JSON.parse(readFileSync(host.home.config, 'utf8')).models;
    expect(stored.budgetGb).toBe(24);
    expect(stored.tiers.pinned.memoryGb).toBe(7.5);
    const row = page.getByRole('region', { name: 'Servers' }).getByText('LM Studio');
    await row.first().waitFor(); // the settings by hand show it as well
  });

  it('D7 one model serves all tiers where there is but one', async () => {
    const models = CATALOGUE.filter(({ name }) => name === 'llama3.2:latest');
    expect(models).toHaveLength(1);
    const host = await hostFor(await ollama({ models }));
    const { page } = await openPanel(host);
    await page.getByText('pinned, routine, synthesis, stretch').waitFor();
    await page.getByText('there is no room for two models that are of use').waitFor();
    await page.getByRole('button', { name: 'Use these models' }).click();
    await page.getByText('These models serve from now on.').waitFor();
    const tiers = Object.values((await host.call('config.get', { key: 'models.tiers' })) as object);
    expect(tiers).toHaveLength(4);
    expect(new Set(tiers.map((one) => JSON.stringify(one))).size).toBe(1);
  });

  it('D7 with no server at all the panel says what to do, and everything works with the offline model', async () => {
    const host = await hostFor();
    const { page } = await openPanel(host);
    await page.getByText('No model server answers on this machine.').waitFor();
    expect(await page.getByRole('button', { name: 'Use these models' }).count()).toBe(0);
    await page.getByRole('textbox', { name: 'Do in the next lull' }).fill('Think');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('navigation').getByText('Drafts 1').waitFor();
  });

  it('D7 whoever has chosen is not looked for again, nor is one that was started offline', async () => {
    const server = await ollama();
    const chosen = await hostFor(server);
    await chosen.call('config.set', {
      ...{ key: 'models.servers', value: [{ name: 'mine', kind: 'ollama', url: server.url }] },
    });
    const offline = await panelHost({ ports: [portOf(server)] });
    for (const host of [chosen, offline]) {
      const { page, go } = await openPanel(host);
      await page.getByText('Plan what comes round').waitFor();
      expect(await page.getByText('Choose your models').count()).toBe(0);
      if (host === offline) {
        await go('models');
        await page.getByText('Lull was started with the offline model alone.').waitFor();
      }
    }
  });

  it('S3 what is in memory comes and goes by itself, with whose it is and how much of the budget', async () => {
    const server = await ollama();
    const host = await hostFor(server);
    await host.call('models.discover', {});
    await host.call('models.adopt', {});
    const { page, go } = await openPanel(host);
    await go('models');
    await page.getByText('No model is in memory now.').waitFor();
    await fetch(`${server.url}/api/generate`, {
      method: 'POST',
      body: JSON.stringify({ model: 'tiny', keep_alive: -1, options: { num_ctx: 2048 } }),
    });
    await host.call('jobs.add', { text: 'Think', tier: 'routine' });
    const memory = page.getByRole('region', { name: 'In memory' });
    await memory.getByText('loaded by Lull').waitFor();
    await memory.getByText('loaded by another program, and left alone').waitFor();
    const { usedBytes } = await host.call('models.show', {});
    const used = `${(usedBytes / 1e9).toFixed(1)} GB of 24.0 GB that models may use`;
    await memory.getByRole('img', { name: used }).waitFor();
    await page
      .getByRole('region', { name: 'Loaded and unloaded' })
      .getByText(/1 load/)
      .waitFor();
    await accessible(page, 'models in memory');
  });
});
