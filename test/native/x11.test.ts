import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Display, xDisplay } from '../../native/linux/x11.ts';
import { besideAStart } from '../support/beside-a-start.ts';
import { childrenThatEnd, HAS_X, HAS_XVFB, startFakeX, startXvfb } from './servers.ts';

function displayAt(display: string, env: NodeJS.ProcessEnv = {}): Display {
  const probe = xDisplay({ DISPLAY: display, ...env });
  onTestFinished(() => probe.close());
  return probe;
}

function idle(probe: Display): number {
  const reading = probe.read().idleSeconds;
  if (!reading.ok) throw new Error(reading.reason);
  return reading.value;
}

const press = (display: string) =>
  execFileSync('xdotool', ['key', 'a'], { env: { ...process.env, DISPLAY: display } });

describe.skipIf(!HAS_XVFB)('idle time of a real X server', () => {
  it('D9 G1 grows while nothing is touched, and a key press is noticed', async () => {
    const { display } = await startXvfb();
    const probe = displayAt(display);
    await vi.waitFor(() => expect(idle(probe)).toBeGreaterThan(0.5), { timeout: 5000 });
    const before = idle(probe);
    press(display);
    const after = idle(probe);
    expect(after).toBeLessThan(before);
    expect(after).toBeLessThan(0.5);
  });

  it('D9 a server that is killed while it is asked becomes unknown, and its successor is found', async () => {
    const server = await startXvfb();
    const probe = displayAt(server.display);
    idle(probe);
    const gone = server.kill();
    let asked = 0;
    while (probe.read().idleSeconds.ok && asked < 1_000_000) asked += 1;
    await gone;
    expect(probe.read().idleSeconds).toEqual({
      ok: false,
      reason: `no X server answers at display ${server.display}`,
      source: 'X11 screen saver',
    });
    await startXvfb(server.display);
    expect(idle(probe)).toBeGreaterThanOrEqual(0);
  });

  it('D9 a server that hangs costs a moment, not the host, and is believed again when it answers', async () => {
    const server = await startXvfb();
    const { display } = server;
    const probe = displayAt(display);
    idle(probe);
    await server.freeze();
    const began = performance.now();
    expect(probe.read().idleSeconds).toMatchObject({
      ok: false,
      reason: `the X server at display ${display} does not answer`,
    });
    expect(performance.now() - began).toBeLessThan(2000);
    server.thaw();
    await vi.waitFor(() => idle(probe), { timeout: 5000 });
    press(display);
    expect(idle(probe)).toBeLessThan(0.5);
  });

  it('D9 a server that hangs before it was ever asked costs a moment, too', async () => {
    const server = await startXvfb();
    await server.freeze();
    const probe = displayAt(server.display);
    const began = performance.now();
    expect(probe.read().idleSeconds).toMatchObject({
      ok: false,
      reason: `the X server at display ${server.display} does not answer`,
    });
    expect(performance.now() - began).toBeLessThan(2000);
    server.thaw();
    await vi.waitFor(() => idle(probe), { timeout: 5000 });
  });

  it('D9 a reading takes a small part of what a program takes to start', async () => {
    const probe = displayAt((await startXvfb()).display);
    expect(besideAStart(() => idle(probe))).toBeLessThan(0.5);
  });

  it('D9 closing gives the connection back, and the next reading opens another', async () => {
    const { display } = await startXvfb();
    const probe = displayAt(display);
    const open = () => readdirSync('/proc/self/fd').length;
    idle(probe);
    const before = open();
    for (let round = 0; round < 20; round++) {
      probe.close();
      idle(probe);
    }
    expect(open()).toBe(before);
  });
});

describe.skipIf(!HAS_X)('an X server with and without its extensions', () => {
  const ALL = ['MIT-SCREEN-SAVER', 'DPMS'];

  it('D9 G5 tells whether the display is off', async () => {
    const server = await startFakeX({ extensions: ALL, idleMs: 61_500 });
    const probe = displayAt(server.display);
    const off = (level: number, enabled = true) => {
      server.set({ extensions: ALL, dpms: { level, enabled } });
      const reading = probe.read().displayAsleep;
      return reading.ok ? reading.value : reading.reason;
    };
    expect(idle(probe)).toBe(61.5);
    expect([off(0), off(1), off(2), off(3)]).toEqual([false, true, true, true]);
    expect(off(3, false)).toBe(false);
  });

  it('D9 is unknown where an extension is missing, one without the other', async () => {
    const bare = displayAt((await startFakeX({ extensions: ['DPMS'] })).display).read();
    expect(bare.idleSeconds).toMatchObject({
      ok: false,
      reason: expect.stringMatching(/MIT-SCREEN-SAVER/),
    });
    expect(bare.displayAsleep).toMatchObject({ ok: true, value: false });
  });

  it('D9 G1 does not believe an X server that only serves windows under Wayland', async () => {
    const server = await startFakeX({ extensions: [...ALL, 'XWAYLAND'], idleMs: 900_000 });
    const reason = 'under Wayland the X server does not see all input';
    expect(displayAt(server.display).read().idleSeconds).toMatchObject({ ok: false, reason });
    for (const env of [{ WAYLAND_DISPLAY: 'wayland-0' }, { XDG_SESSION_TYPE: 'wayland' }]) {
      const { idleSeconds, displayAsleep } = displayAt(server.display, env).read();
      expect([idleSeconds, displayAsleep]).toMatchObject([{ reason }, { reason }]);
    }
  });

  it('D9 signals that interrupt a question do not make its answer unknown', async () => {
    const server = await startFakeX({ extensions: ALL, idleMs: 5000, delayMs: 20 });
    const probe = displayAt(server.display);
    const ended = childrenThatEnd(12);
    for (let i = 0; i < 5; i++) expect(idle(probe)).toBe(5);
    await ended;
  });

  it('D9 an error from the server is a reason, and the next answer counts again', async () => {
    const server = await startFakeX({ extensions: ALL, refuse: true });
    const probe = displayAt(server.display);
    expect(probe.read().idleSeconds).toMatchObject({
      ok: false,
      reason: expect.stringMatching(/refused the request/),
    });
    server.set({ extensions: ALL, idleMs: 5000 });
    expect(idle(probe)).toBe(5);
  });
});

describe('where there is no X server to ask', () => {
  it.each([
    ['', 'DISPLAY is not set, so there is no X server to ask'],
    ['localhost:10.0', 'display localhost:10.0 may belong to another machine'],
  ])('D9 G1 DISPLAY "%s" leaves idle time unknown', (display, reason) => {
    expect(displayAt(display).read().idleSeconds).toMatchObject({ ok: false, reason });
  });

  it.skipIf(!HAS_X)('D9 a display that nobody serves is unknown, again and again', () => {
    const probe = displayAt(':64999');
    for (let i = 0; i < 3; i++) {
      expect(probe.read().idleSeconds).toMatchObject({
        ok: false,
        reason: expect.stringMatching(/no X server answers/),
      });
    }
  });
});
