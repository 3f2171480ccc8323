import { mkdirSync, writeFileSync } from 'node:fs';
import { request as send } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { doorFile } from '../../../main/surfaces/http/door-file.ts';
import {
  type HttpOptions,
  type HttpServer,
  serveHttp,
} from '../../../main/surfaces/http/server.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { temporaryFolder } from '../../support/store.ts';
import { echo, publisher } from '../support.ts';

function builtPanel(): string {
  const root = temporaryFolder();
  const folder = join(root, 'panel');
  mkdirSync(join(folder, 'assets'), { recursive: true });
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>Lull</title>');
  writeFileSync(join(folder, 'assets', 'main-abc.js'), 'export {};');
  writeFileSync(join(folder, '.sources'), 'a stamp');
  writeFileSync(join(root, 'secret.txt'), 'outside');
  return folder;
}

async function host(more: Partial<HttpOptions> = {}): Promise<HttpServer> {
  const server = await serveHttp({
    port: null,
    clock: new FakeClock(),
    door: doorFile(join(temporaryFolder(), 'panel.json')),
    hello: { event: 'hello', pid: 1, version: '1.0.0' },
    dispatch: echo,
    subscribe: () => () => {},
    panel: builtPanel(),
    ...more,
  });
  onTestFinished(() => server.close());
  return server;
}

interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
}

/** One request as it is written, with no browser's or library's manners. */
function ask(
  port: number,
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body?: string | Buffer,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = send(
      { host: '127.0.0.1', port, method, path, headers, agent: false },
      (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part) => parts.push(part));
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: Buffer.concat(parts).toString(),
          }),
        );
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}

async function cookieOf(server: HttpServer): Promise<string> {
  const { pathname, search } = new URL(server.panelLink());
  const entered = await ask(server.port, 'GET', pathname + search);
  return String(entered.headers['set-cookie']).split(';')[0] as string;
}

/** What the panel sends with a command. */
async function manners(server: HttpServer): Promise<Record<string, string>> {
  return {
    cookie: await cookieOf(server),
    origin: `http://127.0.0.1:${server.port}`,
    'content-type': 'application/json',
    'sec-fetch-site': 'same-origin',
  };
}

describe('the loopback panel', () => {
  it('D8 a link lets one browser in, once', async () => {
    const server = await host();
    const { pathname, search, host: name } = new URL(server.panelLink());
    expect(name).toBe(`127.0.0.1:${server.port}`);
    const entered = await ask(server.port, 'GET', pathname + search, { 'sec-fetch-site': 'none' });
    expect(entered).toMatchObject({ status: 303, headers: { location: '/' } });
    expect(entered.headers['set-cookie']).toEqual([
      expect.stringMatching(/^lull_\d+=[\w-]{32}; HttpOnly; SameSite=Strict; Path=\/$/),
    ]);
    const again = await ask(server.port, 'GET', pathname + search);
    expect(again).toMatchObject({ status: 401, text: expect.stringMatching(/lull open/) });
    const cookie = String(entered.headers['set-cookie']).split(';')[0] as string;
    const page = await ask(server.port, 'GET', '/', { cookie });
    expect(page).toMatchObject({ status: 200, text: '<!doctype html><title>Lull</title>' });
    expect(await ask(server.port, 'GET', pathname + search, { cookie })).toMatchObject({
      status: 303,
    });
  });

  it('D8 a browser that comes from another site gets a page that moves on by itself', async () => {
    const server = await host();
    const { pathname, search } = new URL(server.panelLink());
    const entered = await ask(server.port, 'GET', pathname + search, {
      'sec-fetch-site': 'cross-site',
    });
    expect(entered).toMatchObject({ status: 200, text: expect.stringMatching(/refresh.*url=\//) });
    expect(entered.headers['set-cookie']).toHaveLength(1);
  });

  it('D8 a look ahead does not use the link up, and many links push out the oldest only', async () => {
    const server = await host();
    const first = new URL(server.panelLink());
    expect(await ask(server.port, 'HEAD', first.pathname + first.search)).toMatchObject({
      status: 405,
    });
    const kept = new URL(server.panelLink());
    for (let n = 0; n < 15; n++) server.panelLink();
    expect(await ask(server.port, 'GET', first.pathname + first.search)).toMatchObject({
      status: 401,
    });
    expect(await ask(server.port, 'GET', kept.pathname + kept.search)).toMatchObject({
      status: 303,
    });
  });

  it.each([
    ['GET', '/'],
    ['GET', '/assets/main-abc.js'],
    ['GET', '/events'],
    ['POST', '/api/status'],
    ['GET', '/enter'],
    ['GET', '/enter?token='],
    ['GET', '/enter?token=x'],
  ])('D8 without a link nothing is shown: %s %s', async (method, path) => {
    const server = await host();
    server.panelLink();
    const { cookie: _cookie, ...rest } = await manners(server);
    for (const cookie of [
      '',
      `lull_${server.port}=`,
      `lull_${server.port}=${'x'.repeat(32)}`,
      'lull_1=x',
    ]) {
      const got = await ask(server.port, method, path, {
        ...(method === 'POST' ? rest : {}),
        cookie,
      });
      expect(got.status).toBe(401);
      expect(got.text).toMatch(/lull open/);
    }
  });

  it('D8 a session of one host means nothing to another', async () => {
    const [one, two] = [await host(), await host()];
    const value = (await cookieOf(one)).split('=')[1];
    expect(await ask(two.port, 'GET', '/', { cookie: `lull_${two.port}=${value}` })).toMatchObject({
      status: 401,
    });
  });

  it('D8 a command goes to the room and its reply comes back, refusals with status 200 too', async () => {
    const server = await host();
    const headers = await manners(server);
    const done = await ask(server.port, 'POST', '/api/jobs.list', headers, '{"limit":3}');
    expect(done.status).toBe(200);
    expect(JSON.parse(done.text)).toEqual({
      ok: true,
      value: { command: 'jobs.list', input: { limit: 3 } },
    });
    const refused = await ask(server.port, 'POST', '/api/refuse', headers, '');
    expect(refused.status).toBe(200);
    expect(JSON.parse(refused.text)).toEqual({
      ok: false,
      code: 'refused',
      message: 'not now',
      hint: 'later',
    });
  });

  it.each<[string, number, Record<string, string | undefined>]>([
    ['another name for this machine', 403, { host: 'evil.example' }],
    ['another name with our port', 403, { host: 'evil.example:PORT' }],
    ['the name of another port', 403, { host: '127.0.0.1:1' }],
    ['the origin of another page', 403, { origin: 'http://evil.example' }],
    ['the origin of another local port', 403, { origin: 'http://127.0.0.1:1' }],
    ['an origin that is hidden', 403, { origin: 'null' }],
    ['no origin', 403, { origin: undefined }],
    ['a request made for another site', 403, { 'sec-fetch-site': 'same-site' }],
    ['a form', 415, { 'content-type': 'application/x-www-form-urlencoded' }],
    ['text that needs no consent', 415, { 'content-type': 'text/plain' }],
    ['no type', 415, { 'content-type': undefined }],
  ])('D8 a command is refused that comes with %s', async (_what, status, change) => {
    let calls = 0;
    const server = await host({
      dispatch: async () => {
        calls++;
        return { ok: true, value: null };
      },
    });
    const headers = Object.fromEntries(
      Object.entries({ ...(await manners(server)), ...change })
        .filter((entry): entry is [string, string] => entry[1] !== undefined)
        .map(([name, value]) => [name, value.replace('PORT', String(server.port))]),
    );
    const got = await ask(server.port, 'POST', '/api/status', headers, '{}');
    expect(got.status).toBe(status);
    expect(JSON.parse(got.text)).toMatchObject({ ok: false, code: 'refused' });
    expect(calls).toBe(0);
  });

  it('D8 the page and the pushes are refused to another name and another page as well', async () => {
    const server = await host();
    const cookie = await cookieOf(server);
    for (const path of ['/', '/events', '/enter?token=x']) {
      expect(await ask(server.port, 'GET', path, { cookie, host: 'evil.example' })).toMatchObject({
        status: 403,
      });
      expect(
        await ask(server.port, 'GET', path, { cookie, origin: 'http://evil.example' }),
      ).toMatchObject({ status: 403 });
    }
    expect(
      await ask(server.port, 'GET', '/events', { cookie, 'sec-fetch-site': 'same-site' }),
    ).toMatchObject({ status: 403 });
    const named = await ask(server.port, 'GET', '/', { cookie, host: `localhost:${server.port}` });
    expect(named.status).toBe(200);
  });

  it.each([
    ['PUT', '/'],
    ['POST', '/'],
    ['DELETE', '/api/status'],
    ['GET', '/api/status'],
    ['OPTIONS', '/api/status'],
    ['TRACE', '/'],
    ['POST', '/events'],
  ])('D8 only the methods that are meant are answered: %s %s', async (method, path) => {
    const server = await host();
    const got = await ask(server.port, method, path, await manners(server));
    expect(got.status).toBe(405);
  });

  it('D8 a body that is no JSON, or over 16 MB, is answered and not handed on', async () => {
    let calls = 0;
    const server = await host({
      dispatch: async () => {
        calls++;
        return { ok: true, value: null };
      },
    });
    const headers = await manners(server);
    const broken = await ask(server.port, 'POST', '/api/status', headers, '{');
    expect(broken.status).toBe(400);
    expect(JSON.parse(broken.text)).toMatchObject({
      code: 'invalid',
      message: 'the input must be JSON',
    });
    const big = await ask(
      server.port,
      'POST',
      '/api/status',
      headers,
      Buffer.alloc(17 * 1024 * 1024, ' '),
    );
    expect(big.status).toBe(413);
    expect(JSON.parse(big.text)).toMatchObject({ message: 'a command may be 16 MB at most' });
    expect(calls).toBe(0);
    const most = Buffer.alloc(16 * 1024 * 1024, ' ');
    most.write('{}');
    expect((await ask(server.port, 'POST', '/api/status', headers, most)).status).toBe(200);
  });

  it('D8 every answer carries the strict headers, refusals too', async () => {
    const server = await host();
    const cookie = await cookieOf(server);
    const answers = [
      await ask(server.port, 'GET', '/', { cookie }),
      await ask(server.port, 'GET', '/assets/main-abc.js', { cookie }),
      await ask(server.port, 'GET', '/nothing', { cookie }),
      await ask(server.port, 'GET', '/'),
      await ask(server.port, 'GET', '/', { host: 'evil.example' }),
      await ask(server.port, 'POST', '/api/x', await manners(server)),
    ];
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 404, 401, 403, 200]);
    for (const { headers } of answers) {
      expect(headers['content-security-policy']).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action 'none'; require-trusted-types-for 'script'",
      );
      expect(headers['x-content-type-options']).toBe('nosniff');
      expect(headers['referrer-policy']).toBe('no-referrer');
      expect(headers['access-control-allow-origin']).toBeUndefined();
    }
    expect(answers.map(({ headers }) => headers['cache-control'])).toEqual([
      ...['no-store', 'private, max-age=31536000, immutable'],
      ...['no-store', 'no-store', 'no-store', 'no-store'],
    ]);
    expect(answers[1]?.headers['content-type']).toMatch(/javascript/);
  });

  it('D8 a page is cut off from one that opened it; where its owner opened it, there is none', async () => {
    const server = await host();
    const cookie = await cookieOf(server);
    const opened = async (site: Record<string, string>) =>
      (await ask(server.port, 'GET', '/', { cookie, ...site })).headers[
        'cross-origin-opener-policy'
      ];
    expect(await opened({ 'sec-fetch-site': 'none' })).toBeUndefined();
    for (const site of ['same-origin', 'same-site', 'cross-site']) {
      expect(await opened({ 'sec-fetch-site': site }), site).toBe('same-origin');
    }
    expect(await opened({})).toBe('same-origin'); // a browser that does not say
  });

  it('D8 the page brings its first view along, whatever stands in it', async () => {
    const slot = '<script type="application/json" id="first"></script>';
    const panel = builtPanel();
    writeFileSync(join(panel, 'index.html'), `<!doctype html><p>before</p>${slot}<p>after</p>`);
    const view = { line: "</script><script>alert(1)</script> $& $' <!-- \u2028 é" };
    const asked: string[] = [];
    const server = await host({
      panel,
      dispatch: async (command) => {
        asked.push(command);
        return { ok: true, value: view };
      },
    });
    const { text } = await ask(server.port, 'GET', '/', { cookie: await cookieOf(server) });
    const [, inside = ''] =
      /^<!doctype html><p>before<\/p><script [^>]*>([\s\S]*)<\/script><p>after<\/p>$/.exec(text) ??
      [];
    expect(inside).not.toContain('<');
    expect(JSON.parse(inside)).toEqual(view);
    expect(asked).toEqual(['panel']);
    const refused = await host({
      panel,
      dispatch: async () => ({ ok: false, code: 'refused', message: 'not now' }),
    });
    const without = await ask(refused.port, 'GET', '/', { cookie: await cookieOf(refused) });
    expect(without).toMatchObject({
      status: 200,
      text: '<!doctype html><p>before</p><p>after</p>',
    });
  });

  it.each([
    '/../secret.txt',
    '/%2e%2e/secret.txt',
    '/..%2fsecret.txt',
    '/assets/../../secret.txt',
    '/.sources',
    '//etc/passwd',
    '/%00',
    '/%',
    '/assets',
    '/nothing',
  ])('D8 nothing but the built panel is served: %s', async (path) => {
    const server = await host();
    const got = await ask(server.port, 'GET', path, { cookie: await cookieOf(server) });
    expect([400, 404]).toContain(got.status);
    expect(got.text).not.toMatch(/outside|stamp|root:/);
  });

  it('D8 pushes follow a hello, and end with the page', async () => {
    const { subscribe, push, listeners } = publisher();
    const server = await host({ subscribe });
    const cookie = await cookieOf(server);
    const response = await fetch(`http://127.0.0.1:${server.port}/events`, { headers: { cookie } });
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const text = async () => new TextDecoder().decode((await reader.read()).value);
    expect(await text()).toBe(
      'retry: 1000\nevent: hello\ndata: {"event":"hello","pid":1,"version":"1.0.0"}\n\n',
    );
    expect(listeners()).toBe(1);
    push({ event: 'panel', changed: { detail: 'two\nlines' } });
    expect(await text()).toBe('data: {"event":"panel","changed":{"detail":"two\\nlines"}}\n\n');
    await reader.cancel();
    await expect.poll(listeners).toBe(0);
  });

  it('D8 a page that does not read gets the newest of each section later', async () => {
    const { subscribe, push } = publisher();
    const server = await host({ subscribe });
    const socket = connect(server.port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    socket.write(
      `GET /events HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nCookie: ${await cookieOf(server)}\r\n\r\n`,
    );
    await new Promise((first) => socket.once('data', first));
    socket.pause();
    const big = 'x'.repeat(100_000);
    for (let n = 1; n <= 2_000; n++) {
      push({ event: 'panel', changed: { stockTotal: n, detail: big } });
      if (n % 100 === 0) await new Promise((turn) => setImmediate(turn));
    }
    let seen = '';
    let bytes = 0;
    const last = new Promise<void>((done) => {
      socket.on('data', (chunk) => {
        bytes += chunk.length;
        seen = (seen + chunk.toString('latin1')).slice(-200_000);
        if (seen.includes('"stockTotal":2000')) done();
      });
    });
    socket.resume();
    await last;
    expect(bytes).toBeLessThan(20_000_000); // 2,000 pushes are 200 MB
  });

  it('D8 a port in use, and one that is not allowed, are refusals that name it', async () => {
    const server = await host();
    await expect(host({ port: server.port })).rejects.toMatchObject({
      code: 'refused',
      message: `port ${server.port} is in use by another program`,
      hint: 'choose another --port, or leave it out',
    });
  });

  it('D8 a panel that was not built says so', async () => {
    const server = await host({ panel: join(temporaryFolder(), 'none') });
    const got = await ask(server.port, 'GET', '/', { cookie: await cookieOf(server) });
    expect(got).toMatchObject({ status: 503, text: expect.stringMatching(/npm run build/) });
  });

  it('D8 closing ends the open pages and frees the port', async () => {
    const { subscribe, listeners } = publisher();
    const server = await host({ subscribe });
    const cookie = await cookieOf(server);
    const response = await fetch(`http://127.0.0.1:${server.port}/events`, { headers: { cookie } });
    const ended = response.text().catch(() => 'broken off');
    await server.close();
    await ended;
    await expect.poll(listeners).toBe(0);
    await expect(ask(server.port, 'GET', '/')).rejects.toThrow(/ECONNREFUSED/);
  });

  it('D8 no bytes whatever stop the host', async () => {
    const server = await host();
    const headers = await manners(server);
    const raw = (bytes: Uint8Array | string) =>
      new Promise<void>((done) => {
        const socket = connect(server.port, '127.0.0.1', () => socket.end(bytes));
        socket.on('error', () => {});
        socket.on('close', () => done());
        socket.resume();
      });
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.uint8Array({ maxLength: 300 }),
          fc
            .tuple(fc.constantFrom('GET', 'POST', 'HEAD', 'X'), fc.webPath(), fc.string())
            .map(
              ([method, path, body]) =>
                `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nCookie: ${headers.cookie}\r\nOrigin: ${headers.origin}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
            ),
        ),
        async (bytes) => raw(bytes),
      ),
      { numRuns: 150 },
    );
    expect((await ask(server.port, 'POST', '/api/status', headers, '{}')).status).toBe(200);
  });
});
