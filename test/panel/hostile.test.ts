import { describe, expect, it } from 'vitest';
import { CHROMIUM } from '../support/chromium.ts';
import { PATIENT, useBrowser } from './browser.ts';
import { fill } from './filled.ts';
import { panelHost } from './host.ts';

const TITLES = {
  markup: '<img src=x onerror="document.title=\'owned\'"><script>document.title="owned"</script>',
  turned: 'Invoice \u202egnp.exe\u202c and \u2066isolated\u2069',
  emoji: '👩‍👩‍👧‍👦🏳️‍🌈🇩🇪 family ice cream 👨🏽‍🚀',
  arabic: 'طلب البوظة (5 علب) الآن',
  braces: '{@html evil} {{constructor.constructor("x")()}} $&',
  line: 'x'.repeat(100_000),
};

describe.runIf(CHROMIUM)('words of others in the panel', PATIENT, () => {
  const openPanel = useBrowser();

  it('D4 markup, bidi marks, emoji and 100 kB on one line stay words, wherever they are shown', async () => {
    const host = await panelHost({
      prepare: (home) =>
        fill(home, ({ job, order, text, notice }) => {
          for (const title of Object.values(TITLES)) {
            const id = job(title);
            order(id, title, { name: title.slice(0, 300), unit: title.slice(0, 40) });
            text(id, title, `${title}\n${TITLES.line}\n${TITLES.markup}`);
          }
          notice('job-failed:x', TITLES.markup);
        }),
    });
    const { page, go } = await openPanel(host);
    const ids = (await host.call('drafts.list', {})).map((draft) => draft.id);
    const places = [
      'now',
      'drafts',
      'history/waiting',
      'history/1',
      ...ids.map((id) => `drafts/${id}`),
    ];
    for (const place of places) {
      await go(place);
      await page.getByRole('heading', { level: 1 }).waitFor();
      if (place.startsWith('drafts/')) await page.getByText('How it came about').waitFor();
      const found = await page.evaluate(() => ({
        made: document.querySelectorAll('#app :is(img, script, iframe, object, style)').length,
        title: document.title,
        turned: /[\u202a-\u202e\u2066-\u2069]/.test(document.body.textContent ?? ''),
        wide: document.documentElement.scrollWidth > innerWidth,
      }));
      expect(found, place).toEqual({
        ...{ made: 0, title: `(${ids.length}) Lull`, turned: false, wide: false },
      });
    }
    await go('drafts');
    for (const title of [TITLES.markup, TITLES.emoji, TITLES.arabic, TITLES.braces]) {
      await page.getByRole('link', { name: title, exact: true }).first().waitFor();
    }
  });

  it('P8 what the owner types is taken as it is: a task of markup and marks, a name of slashes', async () => {
    const host = await panelHost();
    const { page, go } = await openPanel(host);
    await page.getByRole('textbox', { name: 'Do in the next lull' }).fill(TITLES.markup);
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText(/^Added as job/).waitFor();
    const [job] = await host.call('jobs.list', {});
    expect((await host.call('jobs.show', { id: job?.id ?? 0 })).prompt).toBe(TITLES.markup);

    await go('schedules');
    await page.getByLabel('Name').fill('a/b?c#d %2e <b>');
    await page.getByLabel('What it asks').fill('Prepare the draft.');
    await page.getByRole('button', { name: 'Add schedule' }).click();
    await page.getByRole('article', { name: 'a/b?c#d %2e <b>' }).waitFor();

    // An address that somebody typed leads somewhere, whatever it is.
    for (const place of ['drafts/%', 'drafts/x', 'drafts/999999', 'history/999999', 'no/where']) {
      await go(place);
      await page.getByRole('navigation', { name: 'Places' }).waitFor();
    }
    await go('drafts/999999');
    await page.getByRole('alert').getByText('no draft 999999').waitFor();
  });
});
