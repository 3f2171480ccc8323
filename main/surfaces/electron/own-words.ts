import { z } from 'zod';
import { failure } from '../../base/errors.ts';
import { explain } from '../../base/explain.ts';
import type { Reply } from '../dispatch.ts';
import type { OwnWords } from './carrier.ts';
import type { LoginItem } from './login-item.ts';

/**
 * What the page may ask of the desktop itself, beside the commands of the contract. The panel's client
 * (renderer/electron-client.ts) is the only one that says these.
 */
const words = {
  /** Puts the panel away. */
  'desktop.hide': z.strictObject({}),
  /** Keeps the panel open without the focus, while a file chooser is in front of it. */
  'desktop.hold': z.strictObject({ on: z.boolean() }),
  /** Whether Lull opens at login; with `open`, the owner's consent or its withdrawal. */
  'desktop.login': z.strictObject({ open: z.boolean().optional() }),
  /** Why the icon cannot be seen and how to show it; null where it can. */
  'desktop.icon': z.strictObject({}),
} as const;

export interface DesktopDoings {
  hide(): void;
  hold(on: boolean): void;
  login: LoginItem;
  icon(): Promise<{ hidden: string | null }>;
}

export function ownWords(doings: DesktopDoings): OwnWords {
  const deeds: { [W in keyof typeof words]: (input: z.infer<(typeof words)[W]>) => unknown } = {
    'desktop.hide': () => doings.hide(),
    'desktop.hold': ({ on }) => doings.hold(on),
    'desktop.login': ({ open }) => {
      if (open !== undefined) doings.login.set(open);
      return doings.login.read();
    },
    'desktop.icon': () => doings.icon(),
  };
  return (command, input) => {
    if (!Object.hasOwn(words, command)) return null;
    const word = command as keyof typeof words;
    return perform(word, input);
  };

  async function perform(word: keyof typeof words, input: unknown): Promise<Reply> {
    const parsed = words[word].safeParse(input ?? {});
    if (!parsed.success) {
      const issue = parsed.error.issues[0] as z.core.$ZodIssue;
      return failure('invalid', explain(issue, `the input of ${word}`).message);
    }
    return { ok: true, value: (await deeds[word](parsed.data as never)) ?? {} };
  }
}
