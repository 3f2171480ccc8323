// @vitest-environment jsdom
import { describe, expect, it } from 'vitest';
import type { Hello, Push } from '../../../main/surfaces/contract.ts';
import { type Bridge, electronClient, popoverManners } from '../../../renderer/electron-client.ts';

function bridged(answer: unknown = { ok: true, value: { all: null, heavy: null } }) {
  const asked: [string, unknown][] = [];
  const listeners = new Set<(message: Hello | Push) => void>();
  const bridge: Bridge = {
    async call(command, input) {
      asked.push([command, input]);
      return answer;
    },
    follow(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const say = (message: Hello | Push) => {
    for (const listener of listeners) listener(message);
  };
  return { bridge, asked, say, listeners };
}

describe('the client of the desktop app', () => {
  it('D2 gives a command and returns its value', async () => {
    const { bridge, asked } = bridged();
    expect(await electronClient(bridge).call('pause', { scope: 'all' })).toEqual({
      all: null,
      heavy: null,
    });
    expect(asked).toEqual([['pause', { scope: 'all' }]]);
  });

  it('D2 throws a refusal as every carrier does', async () => {
    const { bridge } = bridged({ ok: false, code: 'refused', message: 'not now', hint: 'later' });
    await expect(electronClient(bridge).call('pause', {})).rejects.toMatchObject({
      ...{ code: 'refused', message: 'not now', hint: 'later' },
    });
  });

  it('D2 is connected with the hello and follows the pushes until it is told to stop', () => {
    const { bridge, say, listeners } = bridged();
    const pushed: Push[] = [];
    const connected: string[] = [];
    const stop = electronClient(bridge).follow(
      (push) => pushed.push(push),
      (on) => connected.push(on),
    );
    say({ event: 'hello', pid: 1, version: '1.0.0' });
    say({ event: 'panel', changed: { drafts: [] } });
    expect([connected, pushed]).toEqual([['here'], [{ event: 'panel', changed: { drafts: [] } }]]);
    stop();
    expect(listeners.size).toBe(0);
  });

  it('D10 asks for the login item, and says what the owner wants', async () => {
    const { bridge, asked } = bridged({ ok: true, value: { open: true, note: null } });
    const { desktop } = electronClient(bridge);
    expect(await desktop.login()).toEqual({ open: true, note: null });
    await desktop.login(false);
    expect(asked).toEqual([
      ['desktop.login', {}],
      ['desktop.login', { open: false }],
    ]);
  });
});

describe('the manners of a panel under an icon', () => {
  function panelWith(html: string) {
    const page = document.implementation.createHTMLDocument();
    page.body.innerHTML = html;
    const view = new EventTarget() as unknown as Window;
    Object.defineProperty(page, 'defaultView', { value: view });
    const { bridge, asked } = bridged();
    popoverManners(bridge, page);
    return { page, view, asked };
  }
  const pressed = () => new KeyboardEvent('keydown', { key: 'Escape', cancelable: true });

  it('D11 Escape puts it away', () => {
    const { view, asked } = panelWith('');
    view.dispatchEvent(new KeyboardEvent('keydown', { key: 'a' }));
    expect(asked).toEqual([]);
    view.dispatchEvent(pressed());
    expect(asked).toEqual([['desktop.hide', {}]]);
  });

  it.each(['<dialog open></dialog>', '<button aria-expanded="true"></button>'])(
    'D11 Escape first closes what is open inside: %s',
    (html) => {
      const { view, asked } = panelWith(html);
      view.dispatchEvent(pressed());
      expect(asked).toEqual([]);
    },
  );

  it('D11 Escape that was used inside does nothing more', () => {
    const { view, asked } = panelWith('');
    const used = pressed();
    used.preventDefault();
    view.dispatchEvent(used);
    expect(asked).toEqual([]);
  });

  it.each(['change', 'cancel'])('D11 it stays while a file is chosen, until %s', (done) => {
    const { page, asked } = panelWith('<input type="file"><input type="text">');
    const [file, text] = page.querySelectorAll('input');
    text?.dispatchEvent(new Event('click', { bubbles: true }));
    text?.dispatchEvent(new Event('change', { bubbles: true }));
    file?.dispatchEvent(new Event('click', { bubbles: true }));
    file?.dispatchEvent(new Event(done));
    expect(asked).toEqual([
      ['desktop.hold', { on: true }],
      ['desktop.hold', { on: false }],
    ]);
  });
});
