import { distance } from 'fastest-levenshtein';

/** The known word that `word` was probably meant to be, or null when none is near. */
export function nearest(word: string, known: readonly string[]): string | null {
  if (word.length > 100) return null;
  let best: string | null = null;
  let least = Math.max(2, Math.ceil(word.length / 3)) + 1;
  for (const candidate of known) {
    // Letters in a wrong order are one slip of the fingers, not two.
    const far = distance(word, candidate) - (letters(word) === letters(candidate) ? 1 : 0);
    if (far >= least) continue;
    best = candidate;
    least = far;
  }
  return best;
}

function letters(word: string): string {
  return [...word].sort().join('');
}
