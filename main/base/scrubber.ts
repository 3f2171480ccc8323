/** Takes known secrets out of texts that others wrote: servers repeat keys in their errors. */
export interface Scrubber {
  /** From now on this value is taken out. */
  add(name: string, value: string): void;
  /** The text with `[secret NAME]` wherever one of the values stood. */
  scrub(text: string): string;
}

/** Values are known to it from the moment the process reads them; before that they cannot come out of it. */
export function createScrubber(): Scrubber {
  const forms = new Map<string, string>();
  let longestFirst: [form: string, name: string][] = [];
  return {
    add(name, value) {
      if (forms.get(value) === name) return;
      for (const form of formsOf(value)) forms.set(form, name);
      longestFirst = [...forms].sort((a, b) => b[0].length - a[0].length);
    },
    scrub(text) {
      let clean = text;
      for (const [form, name] of longestFirst) {
        if (clean.includes(form)) clean = clean.replaceAll(form, `[secret ${name}]`);
      }
      return clean;
    },
  };
}

/** As it is, inside JSON (and JSON inside JSON), in an address, and in Base64. */
function formsOf(value: string): string[] {
  const json = JSON.stringify(value).slice(1, -1);
  return [
    value,
    json,
    JSON.stringify(json).slice(1, -1),
    encodeURIComponent(value.toWellFormed()),
    Buffer.from(value).toString('base64').replace(/=+$/, ''),
    Buffer.from(value).toString('base64url'),
  ];
}
