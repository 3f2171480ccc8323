import { describe, expect, it, onTestFinished } from 'vitest';
import { readMachine } from '../../native/index.ts';
import { linuxMachine } from '../../native/linux/machine.ts';
import type { Machine } from '../../native/machine.ts';
import { unavailableMachine } from '../../native/unavailable.ts';
import { besideAStart } from '../support/beside-a-start.ts';
import { HAS_BUS, HAS_X, startBus, startFakeLogind, startFakeX } from './servers.ts';
import { tree } from './sysfs.ts';

const NOW = 1_780_000_000_000;
const AUTO = '/org/freedesktop/login1/session/auto';
const session = (Type: string, idleForSeconds: number, IdleHint = true) => ({
  [AUTO]: {
    Type,
    IdleHint,
    IdleSinceHint: (NOW - idleForSeconds * 1000) * 1000,
    LockedHint: false,
  },
});

const empty = () => ({ sys: tree({}), proc: tree({}) });

function machineIn(env: NodeJS.ProcessEnv): Machine {
  const machine = linuxMachine({ ...empty(), env });
  onTestFinished(() => machine.close());
  return machine;
}

describe.skipIf(!HAS_BUS || !HAS_X)('idle time from an X server and a login session', () => {
  async function both(state: object, idleMs: number, more: NodeJS.ProcessEnv = {}) {
    const { address } = await startBus();
    const logind = await startFakeLogind(address, state);
    const { display } = await startFakeX({ extensions: ['MIT-SCREEN-SAVER', 'DPMS'], idleMs });
    const env = { DISPLAY: display, DBUS_SYSTEM_BUS_ADDRESS: address, ...more };
    return { logind, read: () => machineIn(env).read(NOW).idleSeconds };
  }

  it('D9 G1 is that of the X server: a session calls itself idle later than it is', async () => {
    const { read, logind } = await both(session('x11', 60), 400_000);
    expect(read()).toEqual({ ok: true, value: 400, source: 'X11 screen saver' });
    logind.set(session('x11', 0, false));
    expect(read()).toMatchObject({ value: 400 });
  });

  it('D9 G1 is the smaller where a terminal knows of its last key, too', async () => {
    const { read, logind } = await both(session('tty', 60), 400_000);
    expect(read()).toEqual({ ok: true, value: 60, source: 'X11 screen saver, logind' });
    logind.set(session('tty', 900));
    expect(read()).toMatchObject({ value: 400 });
  });

  it('D9 G1 is that of the session under Wayland, and unknown while it says nothing', async () => {
    const { read, logind } = await both(session('wayland', 60), 400_000);
    expect(read()).toEqual({ ok: true, value: 60, source: 'logind' });
    logind.set(session('wayland', 60, false));
    expect(read()).toEqual({
      ok: false,
      reason:
        'X11 screen saver: not believed in a Wayland session; logind: the session has not said that it is idle',
      source: 'X11 screen saver, logind',
    });
  });

  it('D9 G1 is that of the session where there is no X server', async () => {
    const { read } = await both(session('x11', 60), 400_000, { DISPLAY: undefined });
    expect(read()).toMatchObject({ value: 60, source: 'logind' });
  });
});

it('D9 a machine on which nothing can be read says why, for every fact', () => {
  const readings = machineIn({ DBUS_SYSTEM_BUS_ADDRESS: 'unix:path=/nowhere' }).read(NOW);
  for (const [fact, reading] of Object.entries(readings)) {
    expect(reading.ok, fact).toBe(false);
    if (!reading.ok) expect(reading.reason, fact).toMatch(/^\S[^\n]+$/);
  }
});

it('D9 this machine answers twice the same in kind, within a few starts of a program', () => {
  const first = readMachine(NOW);
  expect(Object.keys(readMachine(NOW))).toEqual(Object.keys(first));
  expect(besideAStart(() => readMachine(NOW))).toBeLessThan(5);
});

it('D9 a platform without probes says so for every fact', () => {
  const machine = unavailableMachine('sunos');
  const readings = machine.read(NOW);
  expect(Object.keys(readings).sort()).toEqual(Object.keys(machineIn({}).read(NOW)).sort());
  for (const reading of Object.values(readings)) {
    expect(reading).toEqual({
      ok: false,
      reason: 'Lull has no probes for sunos yet',
      source: 'sunos',
    });
  }
  machine.close();
});
