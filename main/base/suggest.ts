import { closest, distance } from 'fastest-levenshtein';

/** The known word that `word` was probably meant to be, or null when none is near. */
export function nearest(word: string, known: readonly string[]): string | null {
  if (known.length === 0 || word.length > 100) return null;
  const near = closest(word, known);
  return distance(word, near) <= Math.max(2, Math.ceil(word.length / 3)) ? near : null;
}
