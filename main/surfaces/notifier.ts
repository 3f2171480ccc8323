import type { Dispatch, Subscribe } from './dispatch.ts';
import { type News, newsReader } from './news.ts';
import { mirrorView } from './view-mirror.ts';

export interface NotifierParts {
  readonly dispatch: Dispatch;
  readonly subscribe: Subscribe;
  /** Hears, once, why nothing can be shown on this machine. */
  readonly onUnable: (why: string) => void;
}

/**
 * Tells news by the desktop's own notices where Lull runs without its app: what is told, and when, is
 * what the settings and quiet hours say. Where no program shows notices, that is said once and nothing
 * else comes of it: the panel holds the same. Returns what ends it.
 */
export function tellByNotifier({ dispatch, subscribe, onUnable }: NotifierParts): () => void {
  const news = newsReader();
  let isUnable = false;

  function unable(error: unknown): void {
    if (isUnable) return;
    isUnable = true;
    onUnable(error instanceof Error ? error.message : String(error));
  }

  async function tell({ title, body }: News): Promise<void> {
    const { default: notifier } = await import('node-notifier');
    notifier.notify({ title, message: harmless(body), timeout: 10 }, (error) => {
      if (error) unable(error);
    });
  }

  const mirror = mirrorView({ dispatch, subscribe }, (view) => {
    for (const one of news.read(view).tell) void tell(one).catch(unable);
  });
  return mirror.close;
}

/**
 * Words of models and files, for a program that is called by a shell and may read markup: the signs
 * that either would read are replaced by ones that look alike, and no word can be taken for an option.
 */
function harmless(text: string): string {
  return text
    .replaceAll('<', '‹')
    .replaceAll('>', '›')
    .replaceAll('"', '”')
    .replaceAll('`', '’')
    .replaceAll('\\', '/')
    .replace(/^-/, '–');
}
