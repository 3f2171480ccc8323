/**
 * Text that others wrote (titles, product names, a model's words) made fit to be shown. It is never
 * HTML: whoever renders it treats it as text. What is taken out: control characters, which can drive
 * a terminal; marks that turn the reading direction (Unicode TR 36, "bidirectional text spoofing");
 * and tag characters, which are invisible. Joiners stay, for emoji and for scripts that need them.
 */
const UNSEEN =
  /[\p{Cc}\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

const TITLE_LENGTH = 200;

/** One line of at most `most` UTF-16 units, cut between characters, with an ellipsis where cut. */
export function oneLine(text: string, most = TITLE_LENGTH): string {
  const line = within(text, most)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .replace(UNSEEN, '')
    .trim();
  return cut(line, most);
}

/** Text of several lines: line ends and tabs stay, and what does not fit is counted at its end. */
export function manyLines(text: string, most: number): string {
  const seen = within(text, most);
  const clean = seen
    .replace(/\r\n?|[\u2028\u2029]/g, '\n')
    .replace(UNSEEN, (mark) => (mark === '\n' || mark === '\t' ? mark : ''));
  if (clean.length <= most && seen.length === text.length) return clean;
  return `${cut(clean, most)}\n(cut here: ${text.length} characters in all)`;
}

/** Looks at no more of a huge text than can matter; four times, for what is taken out of it. */
function within(text: string, most: number): string {
  return (text.length > 4 * most ? text.slice(0, 4 * most) : text).toWellFormed();
}

function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  let end = 0;
  for (const { index, segment } of new Intl.Segmenter().segment(text.slice(0, most))) {
    if (index + segment.length >= most) break;
    end = index + segment.length;
  }
  const kept = end > 0 ? text.slice(0, end) : text.slice(0, most - 1).toWellFormed();
  return `${kept.trimEnd()}…`;
}
