import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { screenInhibitors } from '../../native/linux/inhibitors.ts';
import { HAS_BUS, startBus, startFakeSessionManager } from './servers.ts';

const [LOGOUT, SUSPEND, IDLE] = [1, 4, 8];
const at = (number: number) => `/org/gnome/SessionManager/Inhibitor${number}`;

function inhibitorsAt(address: string) {
  const inhibitors = screenInhibitors({ DBUS_SESSION_BUS_ADDRESS: address });
  onTestFinished(() => inhibitors.close());
  return inhibitors;
}

async function withManager(state: Record<string, { flags?: number; app?: string }>) {
  const bus = await startBus();
  const manager = await startFakeSessionManager(bus.address, state);
  const inhibitors = inhibitorsAt(bus.address);
  return { bus, manager, kept: (apps: readonly string[] = []) => inhibitors.read(apps) };
}

describe.skipIf(!HAS_BUS)('who keeps the screen on, on a Linux desktop', () => {
  it('D9 G5 a film keeps it on while it plays, and is named', async () => {
    const { manager, kept } = await withManager({});
    expect(kept()).toEqual({ ok: true, value: false, source: 'session manager' });
    const film = { flags: IDLE | SUSPEND, app: 'org.videolan.VLC' };
    manager.set({ [at(1)]: film, [at(2)]: { flags: IDLE, app: '' }, [at(3)]: film });
    expect(kept()).toEqual({
      ok: true,
      value: true,
      source: 'session manager, for org.videolan.VLC, a program',
    });
    manager.set({});
    expect(kept()).toMatchObject({ value: false });
  });

  it('D9 G5 what only holds sleep or the end of the session off does not count', async () => {
    const { kept } = await withManager({
      [at(1)]: { flags: SUSPEND, app: 'a backup' },
      [at(2)]: { flags: LOGOUT, app: 'an editor' },
    });
    expect(kept()).toMatchObject({ ok: true, value: false });
  });

  it('D9 G5 programs on the keep-awake list do not count, by their whole id or its last word, in any case', async () => {
    const { kept } = await withManager({
      [at(1)]: { flags: IDLE, app: 'io.github.Caffeine.desktop' },
    });
    expect(kept(['caffeine'])).toMatchObject({ value: false });
    expect(kept(['IO.github.caffeine'])).toMatchObject({ value: false });
    expect(kept(['caff'])).toMatchObject({ value: true });
  });

  it('D9 G5 an inhibitor that ends in between is passed over', async () => {
    const { kept } = await withManager({ [at(1)]: {}, [at(2)]: { flags: IDLE, app: 'mpv' } });
    expect(kept()).toMatchObject({ value: true, source: 'session manager, for mpv' });
  });

  it('D9 it is unknown without a bus or on a desktop that keeps no list, and known once one does', async () => {
    expect(screenInhibitors({}).read([])).toEqual({
      ...{ ok: false, source: 'session manager', reason: 'there is no session bus' },
    });
    const bus = await startBus();
    const inhibitors = inhibitorsAt(bus.address);
    expect(inhibitors.read([])).toMatchObject({
      ok: false,
      reason: 'this desktop keeps no list of them',
    });
    await startFakeSessionManager(bus.address, { [at(1)]: { flags: IDLE, app: 'mpv' } });
    expect(inhibitors.read([])).toMatchObject({ value: true });
  });

  it('D9 a session manager that hangs costs a moment, and is believed again when it answers', async () => {
    const { manager, kept } = await withManager({ [at(1)]: { flags: IDLE, app: 'mpv' } });
    expect(kept()).toMatchObject({ value: true });
    await manager.freeze();
    const began = performance.now();
    expect(kept()).toMatchObject({ ok: false, reason: expect.stringMatching(/timed out/) });
    expect(performance.now() - began).toBeLessThan(2000);
    manager.thaw();
    await vi.waitFor(() => expect(kept()).toMatchObject({ value: true }), { timeout: 5000 });
  });

  it('D9 a bus that goes away is unknown, and nothing else happens', async () => {
    const { bus, kept } = await withManager({});
    expect(kept()).toMatchObject({ value: false });
    await bus.kill();
    for (let i = 0; i < 3; i++) expect(kept().ok).toBe(false);
    expect(kept()).toMatchObject({ reason: expect.stringMatching(/there is no session bus/) });
  });
});
