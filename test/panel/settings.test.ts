import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CHROMIUM } from '../support/chromium.ts';
import { PATIENT, soon, useBrowser } from './browser.ts';
import { panelHost } from './host.ts';

describe.runIf(CHROMIUM)('settings in the panel', PATIENT, () => {
  const openPanel = useBrowser();

  it('D6 a threshold that is lowered holds at once: the job that waited runs', async () => {
    const host = await panelHost();
    await host.call('jobs.add', { text: 'Read the notes' });
    const { page, go } = await openPanel(host);
    await go('settings');
    const field = page.getByLabel('You are away after');
    await soon(() => field.inputValue()).toBe('5');
    await field.fill('0.5');
    await page.keyboard.press('Enter');
    await page.getByText('Stored.').waitFor();
    expect(JSON.parse(readFileSync(host.home.config, 'utf8'))).toEqual({
      presence: { idleThresholdSeconds: 30 },
    });
    await page.getByRole('navigation').getByText('Drafts 1').waitFor();
  });

  it('D6 each kind of setting is stored, and a refusal stands at its field with nothing stored', async () => {
    const host = await panelHost();
    const { page, go } = await openPanel(host);
    const stored = async (key: string) => host.call('config.get', { key });
    await go('settings');
    await page.getByLabel('No heavy work on battery').uncheck();
    await soon(() => stored('power.shedOnBattery')).toBe(false);
    await page.getByLabel('Heavy work stops when the machine is').selectOption('warm (fair)');
    await soon(() => stored('power.thermalLimit')).toBe('fair');
    await page
      .getByLabel('Programs that get the machine for themselves')
      .fill(' Blender \n\nfinal cut');
    await page.keyboard.press('Tab');
    await soon(() => stored('exclusiveApps')).toEqual(['Blender', 'final cut']);
    const hours = page.getByRole('group', { name: 'Hours for heavy work' });
    await hours.getByRole('button', { name: 'Set hours' }).click();
    await hours.getByLabel('Sat').uncheck();
    await hours.getByLabel('From').fill('22:30');
    await soon(() => stored('hours.heavy')).toEqual([
      { days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sun'], from: '22:30', to: '08:00' },
    ]);
    await hours.getByRole('button', { name: 'Remove' }).click();
    await soon(() => stored('hours.heavy')).toBeNull();

    const before = readFileSync(host.home.config, 'utf8');
    for (const [label, text, why] of [
      ['Nothing starts at or below', '120', /power\.floorPercent must be 100 or less/],
      ['Light jobs at most', 'many', /queue\.lightCapacity must be a number/],
      ['Currency of the stock', 'euro', /three capital letters/],
    ] as const) {
      const field = page.getByLabel(label);
      await field.fill(text);
      await page.keyboard.press('Enter');
      await page.getByRole('alert').getByText(why).waitFor();
      expect(await field.inputValue()).toBe(text);
      expect(await field.getAttribute('aria-invalid')).toBe('true');
    }
    expect(readFileSync(host.home.config, 'utf8')).toBe(before);
  });

  it('D6 what is changed in the file meanwhile is seen, and what no field shows is shown as it is', async () => {
    const host = await panelHost();
    const { page, go } = await openPanel(host);
    await go('settings');
    await page.getByLabel('You are away after').waitFor();
    writeFileSync(
      host.home.config,
      JSON.stringify({
        presence: { idleThresholdSeconds: 600 },
        jobBudgetsSeconds: { brief: 77 },
      }),
    );
    await soon(async () => {
      await page.evaluate(() => dispatchEvent(new FocusEvent('focus'))); // back from the editor
      return page.getByLabel('You are away after').inputValue();
    }).toBe('10');
    await page.getByText('jobBudgetsSeconds.brief', { exact: true }).waitFor();
    await page.getByText('77', { exact: true }).waitFor();
  });

  it('D6 a model server is added, given its work, told of when it is silent, and kept while it is used', async () => {
    const host = await panelHost({ servers: true });
    const { page, go } = await openPanel(host);
    const stored = async (key: string) => host.call('config.get', { key });
    await go('models');
    await page.getByText('Lull’s offline model answers').waitFor();
    const server = page.getByRole('form', { name: 'Add a server' });
    await server.getByLabel('Address').fill('http://127.0.0.1:9');
    await server.getByRole('button', { name: 'Add' }).click();
    await soon(() => stored('models.servers')).toEqual([
      { name: 'ollama', kind: 'ollama', url: 'http://127.0.0.1:9' },
    ]);
    const row = page.getByRole('region', { name: 'Servers' }).getByRole('listitem');
    await row.locator('p.warm').waitFor(); // what is wrong with it, in the host's words

    await page.getByText('Choose a model').click();
    const choice = page.getByRole('form', { name: 'Choose a model' });
    await choice.getByLabel('Model, as the server names it').fill('qwen3:8b');
    await choice.getByLabel('Window, tokens').fill('16384');
    await choice.getByLabel('stretch').check();
    await choice.getByRole('button', { name: 'Use it' }).click();
    const model = { server: 'ollama', model: 'qwen3:8b', numCtx: 16_384 };
    await soon(() => stored('models.tiers')).toEqual({
      ...{ routine: model, synthesis: model, stretch: model },
    });
    await page.getByText('qwen3:8b on ollama, 16,384 tokens').first().waitFor();

    await page.getByRole('button', { name: 'Remove ollama' }).click();
    await page.getByRole('alert').getByText('which models.servers does not list').waitFor();
    await page.getByLabel('Memory for models').fill('12.5');
    await page.keyboard.press('Enter');
    await soon(() => stored('models.budgetGb')).toBe(12.5);
    await page.getByLabel('Memory for models').fill('');
    await page.keyboard.press('Enter');
    await soon(() => stored('models.budgetGb')).toBeNull();
    for (const tier of ['routine', 'synthesis', 'stretch']) {
      await page.getByRole('button', { name: `Clear ${tier}` }).click();
      await page.getByRole('button', { name: `Clear ${tier}` }).waitFor({ state: 'detached' });
    }
    await page.getByRole('button', { name: 'Remove ollama' }).click();
    await soon(() => stored('models.servers')).toEqual([]);
  });
});
