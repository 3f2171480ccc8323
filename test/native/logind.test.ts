import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Login, loginSession } from '../../native/linux/logind.ts';
import { childrenThatEnd, HAS_BUS, startBus, startFakeLogind } from './servers.ts';

const NOW = 1_780_000_000_000;
const AUTO = '/org/freedesktop/login1/session/auto';
const ACTIVE = { Type: 'x11', IdleHint: false, IdleSinceHint: 0, LockedHint: false };
/** logind counts in microseconds. */
const ago = (seconds: number) => (NOW - seconds * 1000) * 1000;

function loginAt(address: string): Login {
  const login = loginSession({ DBUS_SYSTEM_BUS_ADDRESS: address });
  onTestFinished(() => login.close());
  return login;
}

async function withLogind(state: object) {
  const bus = await startBus();
  const logind = await startFakeLogind(bus.address, state);
  return { bus, logind, login: loginAt(bus.address) };
}

describe.skipIf(!HAS_BUS)('the login session on a message bus', () => {
  it('D9 G1 counts from the moment the session called itself idle', async () => {
    const { login, logind } = await withLogind({
      [AUTO]: { ...ACTIVE, IdleHint: true, IdleSinceHint: ago(42) },
    });
    expect(login.read(NOW)).toEqual({
      idleSeconds: { ok: true, value: 42, source: 'logind' },
      idleIsExact: false,
      locked: { ok: true, value: false, source: 'logind' },
      remote: { ok: true, value: false, source: 'logind' },
      type: 'x11',
    });
    // A wall clock that was set back makes nobody idle for less than no time.
    logind.set({ [AUTO]: { ...ACTIVE, IdleHint: true, IdleSinceHint: ago(-60) } });
    expect(login.read(NOW).idleSeconds).toMatchObject({ value: 0 });
  });

  it('D9 G1 a desktop that has not said idle is unknown, for some never say it', async () => {
    const { login } = await withLogind({ [AUTO]: { ...ACTIVE, IdleSinceHint: ago(4000) } });
    expect(login.read(NOW).idleSeconds).toEqual({
      ok: false,
      reason: 'the session has not said that it is idle',
      source: 'logind',
    });
  });

  it('D9 G1 a terminal tells the time of its last key, whatever its hint', async () => {
    const { login } = await withLogind({
      [AUTO]: { ...ACTIVE, Type: 'tty', IdleSinceHint: ago(7) },
    });
    expect(login.read(NOW)).toMatchObject({ idleSeconds: { value: 7 }, idleIsExact: true });
  });

  it('D9 G5 tells whether the session is locked', async () => {
    const { login, logind } = await withLogind({ [AUTO]: { ...ACTIVE, LockedHint: true } });
    expect(login.read(NOW).locked).toMatchObject({ value: true });
    logind.set({ [AUTO]: ACTIVE });
    expect(login.read(NOW).locked).toMatchObject({ value: false });
  });

  it('D9 G5 sees a remote session of anybody, but not one that is closing', async () => {
    const session = (number: number) => `/org/freedesktop/login1/session/_3${number}`;
    const { login, logind } = await withLogind({
      [AUTO]: ACTIVE,
      [session(1)]: { Remote: false },
      [session(2)]: { Remote: true, State: 'active' },
    });
    expect(login.read(NOW).remote).toMatchObject({ value: true });
    logind.set({ [AUTO]: ACTIVE, [session(2)]: { Remote: true, State: 'closing' } });
    expect(login.read(NOW).remote).toMatchObject({ value: false });
    logind.set({ [AUTO]: ACTIVE, [session(3)]: {} }); // it has ended between two questions
    expect(login.read(NOW).remote).toMatchObject({ value: false });
  });

  it('D9 a host without a session of its own still learns of remote ones', async () => {
    const { login } = await withLogind({
      '/org/freedesktop/login1/session/_31': { Remote: true, State: 'online' },
    });
    const { idleSeconds, locked, remote } = login.read(NOW);
    const reason = 'Caller does not belong to any known session';
    expect([idleSeconds, locked]).toMatchObject([{ reason }, { reason }]);
    expect(remote).toMatchObject({ ok: true, value: true });
  });

  it('D9 a logind that hangs costs a moment, and is believed again when it answers', async () => {
    const { login, logind } = await withLogind({ [AUTO]: ACTIVE });
    login.read(NOW);
    await logind.freeze();
    const began = performance.now();
    expect(login.read(NOW).locked).toMatchObject({
      ok: false,
      reason: expect.stringMatching(/timed out/),
    });
    expect(performance.now() - began).toBeLessThan(2000);
    logind.thaw();
    await vi.waitFor(() => expect(login.read(NOW).locked.ok).toBe(true), { timeout: 5000 });
  });

  it('D9 signals that interrupt a question do not make its answer unknown', async () => {
    const { login } = await withLogind({ [AUTO]: { ...ACTIVE, LockedHint: true }, delayMs: 20 });
    const ended = childrenThatEnd(12);
    for (let i = 0; i < 3; i++) expect(login.read(NOW).locked).toMatchObject({ value: true });
    await ended;
  });

  it('D9 a bus that goes away is unknown, and nothing else happens', async () => {
    const { bus, login } = await withLogind({ [AUTO]: ACTIVE });
    expect(login.read(NOW).locked.ok).toBe(true);
    await bus.kill();
    for (let i = 0; i < 3; i++) expect(login.read(NOW).locked.ok).toBe(false);
    expect(login.read(NOW).locked).toMatchObject({
      reason: expect.stringMatching(/there is no system bus/),
    });
  });

  it('D9 a bus without logind is unknown, and logind is found when it comes', async () => {
    const bus = await startBus();
    const login = loginAt(bus.address);
    expect(login.read(NOW).idleSeconds).toMatchObject({
      ok: false,
      reason: expect.stringMatching(/login1/),
    });
    await startFakeLogind(bus.address, { [AUTO]: { ...ACTIVE, LockedHint: true } });
    expect(login.read(NOW).locked).toMatchObject({ value: true });
  });

  it('D9 a bus that accepts and says nothing costs a moment, and is used when it wakes', async () => {
    const { bus, logind } = await withLogind({ [AUTO]: ACTIVE });
    await bus.freeze();
    const login = loginAt(bus.address);
    for (let i = 0; i < 3; i++) {
      const began = performance.now();
      const reason = 'the system bus does not answer';
      expect(login.read(NOW).locked).toMatchObject({ ok: false, reason });
      expect(performance.now() - began).toBeLessThan(2000);
    }
    bus.thaw();
    logind.set({ [AUTO]: { ...ACTIVE, LockedHint: true } });
    await vi.waitFor(() => expect(login.read(NOW).locked).toMatchObject({ value: true }), {
      timeout: 5000,
    });
  });
});

it('D9 without a system bus everything of the session is unknown, with the reason', () => {
  const login = loginAt('unix:path=/nowhere/bus');
  for (let i = 0; i < 3; i++) {
    const { idleSeconds, locked, remote } = login.read(NOW);
    for (const reading of [idleSeconds, locked, remote]) {
      expect(reading).toMatchObject({ ok: false, source: 'logind' });
      expect(reading.ok ? '' : reading.reason).not.toBe('');
    }
  }
});
