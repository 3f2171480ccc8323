import { Notification } from 'electron';
import { type News, newsAddress } from '../news.ts';

export interface Notifications {
  tell(news: readonly News[]): void;
  withdraw(keys: readonly string[]): void;
}

/**
 * Tells news by the system's notices; a click opens the place they speak of. Each is kept until it is
 * clicked or closed, because a collected one loses its click. `onFailed` hears why macOS refused one
 * (an unsigned app may show none): the icon and the panel say the same.
 */
export function notifications(
  platform: NodeJS.Platform,
  open: (place: string) => void,
  onFailed: (reason: string) => void,
): Notifications {
  const kept = new Map<string, Notification>();
  if (platform === 'darwin') void restore().catch(() => {}); // an unsigned app has none

  /** After a restart, what is still in the notification centre leads on. */
  async function restore(): Promise<void> {
    for (const one of await Notification.getHistory()) keep(one.id, one);
  }

  function keep(key: string, one: Notification): void {
    const place = newsAddress(key);
    if (place === null) return;
    kept.set(key, one);
    one.on('click', () => {
      kept.delete(key);
      open(place);
    });
    one.on('close', () => {
      if (kept.get(key) === one) kept.delete(key);
    });
  }

  return {
    tell(news) {
      if (!Notification.isSupported()) return;
      for (const { key, title, body } of news) {
        const one = new Notification({
          id: key,
          groupId: 'lull',
          title,
          body,
          silent: true,
          urgency: 'normal', // the default on Linux is "low", which some desktops do not show
        });
        kept.get(key)?.close();
        keep(key, one);
        one.on('failed', (_event, reason) => {
          kept.delete(key);
          onFailed(reason);
        });
        one.show();
      }
    },
    withdraw(keys) {
      for (const key of keys) {
        kept.get(key)?.close();
        kept.delete(key);
      }
    },
  };
}
