import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium } from 'playwright-core';
import { fill } from '../panel/filled.ts';
import { openLoneHost } from '../panel/host.ts';
import { CHROMIUM, QUIET } from '../support/chromium.ts';
import { program } from '../support/needs.ts';
import { type Bench, median, type Row, ratioAtMost, row } from './bench.ts';

/** A whole browser where there is one: that is what an owner looks at. */
const BROWSER = program('chromium') ?? CHROMIUM;

const ROUNDS = 20;
/** Before the first that counts: an owner comes back to a panel, and a browser compiles it ahead then. */
const VISITS = 3;
const EMPTY = '<!doctype html><title>Empty</title><h1>Empty</h1>';

export const benches: Bench[] = [
  {
    name: 'panel',
    async run({ quick }) {
      if (!BROWSER) return [];
      build();
      return [
        await firstSnapshot('first snapshot of a new panel, beside an empty page', 0, quick),
        await firstSnapshot('with 10,000 drafts and 10,000 jobs', quick ? 100 : 10_000, quick),
      ];
    },
  },
];

/** What is measured is the panel of these sources. */
function build(): void {
  const script = join(import.meta.dirname, '..', '..', 'bin', 'build.mjs');
  const { status } = spawnSync(process.execPath, [script], { stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new Error('the panel could not be built');
}

/** Milliseconds from the navigation until the first heading has been painted. */
async function firstSnapshot(name: string, many: number, quick: boolean): Promise<Row> {
  const host = await openLoneHost({
    prepare: (home) =>
      fill(home, ({ job, order }) => {
        for (let n = 1; n <= many; n++) order(job(`Task ${n}`), `Replenish item ${n}`);
      }),
  });
  const empty = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(EMPTY);
  }).listen(0, '127.0.0.1');
  await once(empty, 'listening');
  // With a profile of its own, as an owner's browser has: it keeps what it compiled.
  const profile = mkdtempSync(join(tmpdir(), 'lull-profile-'));
  const context = await chromium.launchPersistentContext(profile, {
    ...{ executablePath: BROWSER as string, args: QUIET },
    viewport: { width: 400, height: 600 },
  });
  try {
    await context.addInitScript(watchHeading);
    const link = await host.link();
    await painted(context, link);
    const own = new URL('/', link).href;
    for (let visit = 0; visit < VISITS; visit++) await painted(context, own);
    const theirs = `http://127.0.0.1:${(empty.address() as AddressInfo).port}/`;
    const [ours, reference]: [number[], number[]] = [[], []];
    for (let round = 0; round < (quick ? 3 : ROUNDS); round++) {
      ours.push(await painted(context, own));
      reference.push(await painted(context, theirs));
    }
    return row(name, 'ms', median(ours), median(reference), ratioAtMost(4, 'an empty page'));
  } finally {
    await context.close();
    empty.close();
    await host.close();
    rmSync(profile, { recursive: true, force: true });
  }
}

async function painted(context: BrowserContext, url: string): Promise<number> {
  const page = await context.newPage();
  try {
    await page.goto(url, { waitUntil: 'commit' });
    const at = await page.waitForFunction(() => (window as { paintedAt?: number }).paintedAt);
    return (await at.jsonValue()) as number;
  } finally {
    await page.close();
  }
}

/** Runs in each page before its own scripts. */
function watchHeading(): void {
  const look = () => {
    if (!document.querySelector('h1')) return requestAnimationFrame(look);
    // Once more: the frame in which it was found has not been painted yet.
    return requestAnimationFrame(() => Object.assign(window, { paintedAt: performance.now() }));
  };
  requestAnimationFrame(look);
}
