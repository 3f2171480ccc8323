import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { doorFile } from '../../../main/surfaces/http/door-file.ts';
import { panelEntry } from '../../../main/surfaces/http/entry.ts';
import { type HttpServer, serveHttp } from '../../../main/surfaces/http/server.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { temporaryFolder } from '../../support/store.ts';
import { echo } from '../support.ts';

const DAY_MS = 86_400_000;

async function host(
  file: string,
  { port = null as number | null, clock = new FakeClock() } = {},
): Promise<HttpServer> {
  const server = await serveHttp({
    ...{ port, clock, door: doorFile(file), dispatch: echo },
    hello: { event: 'hello', pid: 1, version: '1.0.0' },
    subscribe: () => () => {},
    panel: temporaryFolder(),
  });
  onTestFinished(() => server.close());
  return server;
}

async function enter(server: HttpServer): Promise<string> {
  const entered = await fetch(server.panelLink(), { redirect: 'manual' });
  return String(entered.headers.get('set-cookie')).split(';')[0] as string;
}

async function status(port: number, cookie: string): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${port}/api/status`, {
    method: 'POST',
    headers: {
      cookie,
      'content-type': 'application/json',
      origin: `http://127.0.0.1:${port}`,
    },
    body: '{}',
  });
  await answer.text();
  return answer.status;
}

describe('the door of the panel', () => {
  it('D8 a browser that was let in is known to the next host of the same folder, on the same port', async () => {
    const file = join(temporaryFolder(), 'panel.json');
    const first = await host(file);
    const cookie = await enter(first);
    await first.close();
    const second = await host(file);
    expect(second.port).toBe(first.port);
    expect(await status(second.port, cookie)).toBe(200);
  });

  it('D8 a link that was not used ends with its host', async () => {
    const file = join(temporaryFolder(), 'panel.json');
    const first = await host(file);
    await enter(first);
    const unused = first.panelLink();
    await first.close();
    await host(file);
    expect((await fetch(unused, { redirect: 'manual' })).status).toBe(401);
  });

  it('D8 where another program has the port, a new one is taken and no session is carried over', async () => {
    const file = join(temporaryFolder(), 'panel.json');
    const first = await host(file);
    const cookie = await enter(first);
    const { port } = first;
    await first.close();
    const other = createServer().listen(port, '127.0.0.1');
    onTestFinished(() => void other.close());
    await new Promise((listening) => other.once('listening', listening));
    const second = await host(file);
    expect(second.port).not.toBe(port);
    const value = cookie.split('=')[1];
    expect(await status(second.port, `lull_${second.port}=${value}`)).toBe(401);
  });

  it('D8 the file holds digests only, and only the owner may read it', async () => {
    const folder = temporaryFolder();
    const file = join(folder, 'panel.json');
    const cookie = await enter(await host(file));
    const text = readFileSync(file, 'utf8');
    expect(text).not.toContain(cookie.split('=')[1]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['panel.json']);
  });

  it.each(['', '{', '[]', '{"port":0,"sessions":[]}', '{"port":"x","sessions":3}', 'null'])(
    'D8 a file that cannot be read opens nothing and stops nothing: %j',
    async (text) => {
      const file = join(temporaryFolder(), 'panel.json');
      writeFileSync(file, text);
      const server = await host(file);
      expect(await status(server.port, await enter(server))).toBe(200);
    },
  );

  it('D8 a folder that cannot be written lets browsers in all the same', async () => {
    const folder = temporaryFolder();
    const server = await host(join(folder, 'gone', 'panel.json'));
    expect(await status(server.port, await enter(server))).toBe(200);
  });

  it('D8 a browser that was not heard of for 30 days needs a new link; one in use does not', () => {
    const clock = new FakeClock();
    const saved = doorFile(join(temporaryFolder(), 'panel.json'));
    const entry = () =>
      panelEntry(80, {
        now: () => clock.now(),
        sessions: saved.read()?.sessions ?? [],
        save: (sessions) => saved.write({ port: 80, sessions }),
      });
    const first = entry();
    const [used, unused] = [first.trade(first.mint()), first.trade(first.mint())] as string[];
    for (let day = 0; day < 40; day += 8) {
      clock.jump(8 * DAY_MS);
      expect(entry().knows(used)).toBe(true);
    }
    expect(entry().knows(unused)).toBe(false);
  });

  it('D8 of many browsers the one not heard of for longest is forgotten', () => {
    const entry = panelEntry(80, { now: () => 0, sessions: [], save: () => {} });
    const cookies = Array.from({ length: 65 }, () => entry.trade(entry.mint()) as string);
    expect(cookies.map((cookie) => entry.knows(cookie))).toEqual([
      false,
      ...Array.from({ length: 64 }, () => true),
    ]);
  });
});
