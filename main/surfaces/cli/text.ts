/**
 * What a terminal or a reader would take for an order: control characters (all but the line feed and
 * the tab), marks that turn the direction of writing, and characters nobody sees. Texts of models,
 * files and notes may hold any of them.
 */
const UNSAFE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/** The text with every unsafe character made visible and harmless; lines stay lines. */
export function printable(text: string): string {
  return text.replace(/\r\n/g, '\n').replace(/\t/g, '  ').replace(UNSAFE, '\ufffd');
}

/** The text on one line, safe to print. */
export function oneLine(text: string): string {
  return printable(text.replace(/\s+/g, ' ').trim());
}

/** One JSON document, safe to print: unsafe characters can only stand in its strings. */
export function jsonDocument(value: unknown, indent: number): string {
  return JSON.stringify(value ?? null, null, indent).replace(UNSAFE, (character) =>
    character
      .split('') // each half of a pair by itself, as JSON writes them
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}

/** East Asian wide characters and pictures take two columns of a terminal. */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;
const NONE = /\p{Mark}|\u200b|\u200d/u;

/** Columns that a text takes. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += NONE.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return width;
}

/** The text cut to so many columns, with an ellipsis where something is missing. */
export function cut(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  let kept = '';
  let width = 0;
  for (const character of text) {
    const next = widthOf(character);
    if (width + next > columns - 1) break;
    kept += character;
    width += next;
  }
  return `${kept}…`;
}
