import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

/** The script to be evaluated in a page before anything here asks it. */
export const AXE = readFileSync(
  createRequire(import.meta.url).resolve('axe-core/axe.min.js'),
  'utf8',
);

export const LOOKS = [
  { colorScheme: 'light', forcedColors: 'none', contrast: 'no-preference' },
  { colorScheme: 'dark', forcedColors: 'none', contrast: 'no-preference' },
  { colorScheme: 'light', forcedColors: 'none', contrast: 'more' },
  { colorScheme: 'dark', forcedColors: 'active', contrast: 'no-preference' },
] as const;

/** Opens all that opens. */
export async function openAll(page: Page): Promise<void> {
  await page.evaluate(async () => {
    for (const one of document.querySelectorAll<HTMLDetailsElement>('main details'))
      one.open = true;
    await new Promise(requestAnimationFrame);
  });
}

/** What axe finds; `colours` asks only for what differs between looks. */
export async function violations(page: Page, colours = false): Promise<string[]> {
  return page.evaluate(async (only) => {
    const { axe } = window as unknown as { axe: typeof import('axe-core') };
    const { violations } = await axe.run(document, {
      resultTypes: ['violations'],
      ...(only ? { runOnly: { type: 'rule', values: ['color-contrast'] } } : {}),
    });
    return violations.flatMap((one) =>
      one.nodes.map((node) => `${one.id}: ${node.html.slice(0, 120)} ${node.failureSummary}`),
    );
  }, colours);
}

/** What holds more than it shows, but for what ends in an ellipsis. */
export async function tooWide(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [document.documentElement, ...document.querySelectorAll('main, header, nav, main *')]
      .filter((one) => one.checkVisibility() && one.scrollWidth > one.clientWidth + 1)
      .filter((one) => one.clientWidth > 0 && !one.matches('.chip, .unseen, input, select'))
      .map((one) => `${one.tagName}.${one.className} ${one.textContent?.slice(0, 60)}`),
  );
}
