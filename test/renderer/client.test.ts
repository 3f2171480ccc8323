import { afterEach, describe, expect, it, vi } from 'vitest';
import { CallError, httpClient } from '../../renderer/client.ts';

class FakeStream {
  static last: FakeStream;
  onopen: () => void = () => {};
  onerror: () => void = () => {};
  onmessage: (message: { data: string }) => void = () => {};
  constructor() {
    FakeStream.last = this;
  }
  close(): void {}
}

afterEach(() => vi.unstubAllGlobals());

describe('http client', () => {
  it('D8 a click made while the host is away is sent when it is back', async () => {
    vi.stubGlobal('EventSource', FakeStream);
    let down = true;
    const sent: string[] = [];
    vi.stubGlobal('fetch', async (url: string) => {
      if (down) throw new TypeError('refused');
      sent.push(url);
      return { status: 200, json: async () => ({ ok: true, value: { all: null, heavy: null } }) };
    });
    const client = httpClient();
    client.follow(
      () => {},
      () => {},
    );
    const click = client.call('resume', {});
    await Promise.resolve();
    expect(sent).toEqual([]);
    down = false;
    FakeStream.last.onopen();
    await click;
    expect(sent).toEqual(['/api/resume']);
  });

  it('D8 a refusal arrives as an error with its remedy', async () => {
    vi.stubGlobal('fetch', async () => ({
      status: 200,
      json: async () => ({
        ok: false,
        code: 'not_found',
        message: 'no job 4',
        hint: 'see the list',
      }),
    }));
    const refused = await httpClient()
      .call('jobs.cancel', { id: 4 })
      .catch((error) => error);
    expect(refused).toBeInstanceOf(CallError);
    expect(refused).toMatchObject({ code: 'not_found', message: 'no job 4', hint: 'see the list' });
  });
});
