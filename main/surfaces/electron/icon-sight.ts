import type { Clock } from '../../base/clock.ts';
import { hiddenIconNews, type News } from '../news.ts';
import type { TrayIcon } from './tray.ts';

/** A new icon of macOS has no place yet. */
const MAC_LOOKS_MS = [3_000];
/** At login an app may come half a minute before the desktop's place for icons. */
const LINUX_LOOKS_MS = [3_000, 7_000, 20_000];

export interface IconSightParts {
  platform: NodeJS.Platform;
  clock: Pick<Clock, 'timer'>;
  tray: Pick<TrayIcon, 'hiddenBy' | 'renew'>;
  /** Linux: whether the desktop shows icons of apps; null where that is not known. */
  trayHost(): Promise<boolean | null>;
}

export interface IconSight {
  /** Why the icon cannot be seen and how to show it; null where it can, or where nobody knows. */
  hidden(): Promise<News | null>;
  /** Looks some times after the start, and tells what hides the icon then. */
  follow(tell: (news: News) => void): void;
}

/**
 * Whether the owner can see the icon. On Linux, Electron asks for the desktop's place for icons once,
 * when an icon is made: one that was made before its place is made anew. To be called right after the
 * icon was made.
 */
export function iconSight({ platform, clock, tray, trayHost }: IconSightParts): IconSight {
  const mac = platform === 'darwin';
  let placed = false;
  let looked: Promise<boolean | null> = mac ? Promise.resolve(null) : trayHost().then(note);

  function note(shows: boolean | null): boolean | null {
    if (shows !== null) placed = shows;
    return shows;
  }

  async function look(): Promise<boolean | null> {
    const shows = await trayHost();
    if (shows && !placed) tray.renew();
    return note(shows);
  }

  async function hidden(): Promise<News | null> {
    if (mac) {
      const by = tray.hiddenBy();
      return by && hiddenIconNews(by);
    }
    looked = looked.then(look);
    return (await looked) === false ? hiddenIconNews('desktop') : null;
  }

  function follow(tell: (news: News) => void, looks = mac ? MAC_LOOKS_MS : LINUX_LOOKS_MS): void {
    const [wait = 0, ...later] = looks;
    clock.timer(wait, async () => {
      const news = await hidden();
      if (news === null) return;
      if (later.length > 0) follow(tell, later);
      else tell(news);
    });
  }

  return { hidden, follow };
}
