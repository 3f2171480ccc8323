import { isDeepStrictEqual } from 'node:util';

/**
 * The sections of a view that differ from the one sent before, whole; null when none does, and then
 * nothing is sent. A section that is the same object costs one comparison.
 */
export function changedSections<View extends object>(
  previous: View,
  next: View,
): Partial<View> | null {
  const changed: Partial<View> = {};
  let any = false;
  for (const section of Object.keys(next) as Array<keyof View>) {
    const [before, after] = [previous[section], next[section]];
    if (before === after || isDeepStrictEqual(before, after)) continue;
    changed[section] = after;
    any = true;
  }
  return any ? changed : null;
}
