/**
 * What is wrong with the name of an agent, as the end of a sentence, or null. Names stand in file names,
 * in log names (whose parts are divided by `_`), in arguments and in tags.
 */
export function faultOfAgentName(name: string): string | null {
  if (name === '') return 'must not be empty';
  if (name.length > 100) return 'must not be longer than 100 characters';
  if (name.includes('_')) return 'must not contain "_": its log file could not be read back';
  if (name.includes('..')) return 'must not contain ".."';
  if (/^[.-]/.test(name)) return 'must not begin with "." or "-"';
  if (!/^[\p{L}\p{M}\p{N} .+@-]+$/u.test(name)) {
    return 'may hold letters, digits, spaces and . - + @ only';
  }
  return name === name.trim() ? null : 'must not begin or end with a space';
}
