import { describe, expect, it } from 'vitest';
import { hasTrayHost } from '../../native/linux/tray-host.ts';
import { HAS_BUS, startBus, startFakeWatcher } from './servers.ts';

describe.skipIf(!HAS_BUS)("the desktop's place for icons of apps", () => {
  it('D1 is missing where nobody watches, or nobody draws what is watched; else it is there', async () => {
    const bus = await startBus();
    const env = { DBUS_SESSION_BUS_ADDRESS: bus.address };
    expect(hasTrayHost(env)).toBe(false);
    const idle = await startFakeWatcher(bus.address, false);
    expect(hasTrayHost(env)).toBe(false);
    await idle.kill();
    await startFakeWatcher(bus.address, true);
    expect(hasTrayHost(env)).toBe(true);
  });

  it('D1 is not known without a session bus, or with one that is silent, and nobody waits long for it', async () => {
    expect(hasTrayHost({})).toBeNull();
    expect(hasTrayHost({ DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere/bus' })).toBeNull();
    const bus = await startBus();
    await bus.freeze();
    expect(hasTrayHost({ DBUS_SESSION_BUS_ADDRESS: bus.address })).toBeNull();
  });
});
