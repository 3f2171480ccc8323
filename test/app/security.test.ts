import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Bridge } from '../../renderer/electron-client.ts';
import { type RunningApp, startApp } from './drive.ts';

/**
 * The list of Electron's own security checklist (tutorial/security), line by line. Each says where it
 * is proved: `static` in the sources and what is built of them (security-static.test.ts), `stand-in` on
 * the running app (here), `package` on the packaged app (package.test.ts), `real` only with Electron's binary
 * (real-electron.test.ts and docs/on-a-mac.md).
 */
describe('stand-in', () => {
  let app: RunningApp;
  let page: Page;

  beforeAll(async () => {
    app = await startApp({ args: ['--model', 'offline'] });
    await app.until('windows', ([panel]) => panel?.visible === true); // as at every first start
    page = await app.page();
    await page.getByRole('heading').first().waitFor();
  }, 40_000);
  afterAll(() => app?.end());

  it('D10 security 1: the page asks nothing of any network, even where told to', async () => {
    const reach = await page.evaluate(async () => {
      const tries = [
        () => fetch('https://example.com/'),
        () => fetch('http://127.0.0.1:11434/'),
        () => fetch('/index.html'),
        () => Promise.resolve(new WebSocket('ws://127.0.0.1:1/')),
        () => import(/* @vite-ignore */ 'https://example.com/x.js' as string),
      ];
      const ends = await Promise.allSettled(tries.map(async (one) => one()));
      return ends.map(({ status }) => status);
    });
    // A WebSocket is made and fails later: its request, like all others, must not be seen outside.
    expect(reach.filter((_, i) => i !== 3)).toEqual(Array(4).fill('rejected'));
    expect((await app.ask('log')).filter(({ type }) => type === 'network')).toEqual([]);
  });

  it('D10 security 2, 3, 4: every window is sandboxed and isolated, without Node', async () => {
    await app.ask('press', { button: 'right-click' });
    await app.ask('choose', { path: ['Open in a window'] });
    const all = await app.until('windows', (windows) => windows.length === 2);
    for (const { options } of all) {
      expect(options.webPreferences).toMatchObject({
        sandbox: true,
        contextIsolation: true,
        nodeIntegration: false,
        spellcheck: false,
      });
    }
    await app.ask('close', { index: 1 });
    const names = ['require', 'process', 'module', 'Buffer', 'global', 'ipcRenderer', '__standin'];
    expect(await page.evaluate((all) => all.filter((name) => name in globalThis), names)).toEqual(
      [],
    );
  });

  it('D10 security 5: no permission is granted but to put text on the clipboard, and to nobody else', async () => {
    const ours = 'app://lull/index.html';
    const answers = (name: string, url: string) => app.ask('permission', { name, url });
    for (const name of [
      'media',
      'geolocation',
      'notifications',
      'midi',
      'openExternal',
      'usb',
      'fileSystem',
      'clipboard-read',
      'display-capture',
      'loopback-network',
    ]) {
      expect({ name, ...(await answers(name, ours)) }).toEqual({
        ...{ name, request: false, check: false, device: false },
      });
    }
    expect(await answers('clipboard-sanitized-write', ours)).toMatchObject({
      ...{ request: true, check: true },
    });
    for (const url of ['https://example.com/', 'app://lull.example.com/', 'app://other/']) {
      expect(await answers('clipboard-sanitized-write', url)).toMatchObject({
        ...{ request: false, check: false },
      });
    }
  });

  it('D10 security 7: the policy stops inline script, eval, frames and forms', async () => {
    const ran = await page.evaluate(async () => {
      const violations: string[] = [];
      const inserted: Element[] = [];
      document.addEventListener('securitypolicyviolation', (event) => {
        violations.push(event.effectiveDirective);
      });
      const tries: [string, () => void][] = [
        ['script', () => insert('script', { textContent: 'window.broken = 1' })],
        // From a timer: what the test itself evaluates is not held by the policy.
        ['timer', () => setTimeout('window.broken = 2' as unknown as () => void, 0)],
        ['style', () => insert('style', { textContent: 'body { color: red }' })],
        ['image', () => insert('img', { src: 'https://example.com/x.png' })],
        ['frame', () => insert('iframe', { src: '/index.html' })],
        ['form', () => insert('form', { action: 'https://example.com/' }).submit()],
      ];
      function insert<K extends keyof HTMLElementTagNameMap>(
        tag: K,
        fields: Partial<HTMLElementTagNameMap[K]>,
      ): HTMLElementTagNameMap[K] {
        const made = Object.assign(document.createElement(tag), fields);
        document.body.append(made);
        inserted.push(made);
        return made;
      }
      for (const [name, attempt] of tries) {
        try {
          attempt();
        } catch {
          violations.push(`${name} refused`); // a plain text may not become a script at all
        }
      }
      for (
        let n = 0;
        n < 200 && !['frame-src', 'form-action'].every((one) => violations.includes(one));
        n++
      ) {
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      for (const one of inserted) one.remove();
      return { violations, broken: 'broken' in window };
    });
    expect(ran.broken).toBe(false);
    expect(ran.violations).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/script/),
        'timer refused',
        expect.stringMatching(/style-src/),
        'img-src',
        'frame-src',
        'form-action',
      ]),
    );
  });

  it('D10 security 12: a webview is refused', async () => {
    expect(await app.ask('contentsEvent', { event: 'will-attach-webview' })).toBe(true);
  });

  it('D10 security 13: the page goes nowhere else', async () => {
    const before = page.url();
    for (const url of ['https://example.com/', 'app://other/', 'http://127.0.0.1:1/']) {
      await page.evaluate((to) => {
        location.href = to;
      }, url);
    }
    await app.until(
      'log',
      (all) => all.filter(({ type }) => type === 'navigation-refused').length > 0,
    );
    expect(page.url()).toBe(before);
    for (const event of ['will-navigate', 'will-frame-navigate', 'will-redirect']) {
      expect(await app.ask('contentsEvent', { event }), event).toBe(true);
    }
  });

  it('D10 security 14: the page opens no window', async () => {
    await page.evaluate(() => {
      window.open('https://example.com/');
      const link = document.createElement('a');
      link.href = 'https://example.com/link';
      link.target = '_blank';
      document.body.append(link);
      link.click();
      link.remove();
    });
    const opened = (
      await app.until('log', (all) => all.filter(({ type }) => type === 'window-open').length === 2)
    ).filter(({ type }) => type === 'window-open');
    expect(opened.map(({ data }) => (data as { action: string }).action)).toEqual(['deny', 'deny']);
    expect(await app.ask('windows')).toHaveLength(1);
  });

  it('D10 security 17: a frame inside the page is not heard, the page itself is', async () => {
    const said = await page.evaluate(async () => {
      const frame = document.createElement('iframe');
      document.body.append(frame);
      const inside = frame.contentWindow as unknown as {
        __standin(word: object): Promise<{ value: unknown }>;
      };
      const foreign = await inside.__standin({
        kind: 'invoke',
        channel: 'lull:call',
        args: [{ command: 'status', input: {} }],
      });
      frame.remove();
      const own = await (window as unknown as { lull: Bridge }).lull.call('status', {});
      return { foreign: foreign.value, own };
    });
    expect(said.foreign).toMatchObject({ ok: false, code: 'refused' });
    expect(said.own).toMatchObject({ ok: true });
  });

  it('D10 security 17: what is said is checked by the contract, whatever its shape', async () => {
    const answers = await page.evaluate(async () => {
      const { lull } = window as unknown as { lull: Bridge };
      const say = lull.call as (command: unknown, input: unknown) => Promise<{ code?: string }>;
      const words: [unknown, unknown][] = [
        ['nonsense', {}],
        ['__proto__', {}],
        ['pause', { scope: 'everything' }],
        ['jobs.show', { id: '1' }],
        ['drafts.approve', [1]],
        ['status', { more: 1 }],
        [7, {}],
        [null, null],
        ['desktop.hold', { on: 'yes' }],
        ['desktop.login', { open: 1 }],
        ['desktop.nothing', {}],
        ['x'.repeat(1_000_000), {}],
      ];
      const codes: (string | undefined)[] = [];
      for (const [command, input] of words) {
        codes.push(
          await say(command, input).then(
            (reply) => reply.code,
            () => 'thrown',
          ),
        );
      }
      return codes;
    });
    expect(answers.every((code) => code === 'invalid')).toBe(true);
    expect(
      await page.evaluate(() => (window as unknown as { lull: Bridge }).lull.call('status', {})),
    ).toMatchObject({ ok: true });
  });

  it('D10 security 18, 19: the scheme is standard and secure, and has no other privilege', async () => {
    expect(await app.ask('schemes')).toEqual([
      {
        scheme: 'app',
        privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true },
      },
    ]);
    expect((await app.ask('windows'))[0]?.url).toMatch(/^app:\/\/lull\//);
  });

  it('D10 security 20: the page has two functions of Electron and nothing else', async () => {
    const handed = await page.evaluate(() => {
      const { lull } = window as unknown as { lull: Record<string, unknown> };
      return {
        names: Object.keys(lull),
        frozen: Object.isFrozen(lull),
        kinds: Object.values(lull).map((one) => typeof one),
      };
    });
    expect(handed).toEqual({
      names: ['call', 'follow'],
      frozen: true,
      kinds: ['function', 'function'],
    });
  });
});
