import { type BusObject, connectSessionBus, type MessageBus } from './sd-bus.ts';

const WATCHER: BusObject = {
  service: 'org.kde.StatusNotifierWatcher',
  path: '/StatusNotifierWatcher',
  interface: 'org.kde.StatusNotifierWatcher',
};

/**
 * Whether the desktop shows icons of apps: it does where a watcher is on the session bus and something
 * that draws them has registered with it (freedesktop.org, StatusNotifierItem). Null where the bus does
 * not say. Waits for a fraction of a second at most; never throws.
 */
export function hasTrayHost(env: NodeJS.ProcessEnv = process.env): boolean | null {
  let bus: MessageBus | null = null;
  try {
    bus = connectSessionBus(env);
    return bus.isOwned(WATCHER.service) && bus.boolean(WATCHER, 'IsStatusNotifierHostRegistered');
  } catch {
    return null;
  } finally {
    bus?.close();
  }
}
