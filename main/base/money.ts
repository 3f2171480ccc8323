const formats = new Map<string, Intl.NumberFormat>();

/**
 * An amount for people: `$1,234.50`, `€15.00`, two digits always; exact for every safe integer of
 * cents. Throws RangeError on what is not one.
 */
export function money(cents: number, currency: string): string {
  let format = formats.get(currency);
  if (!format) {
    const digits = { minimumFractionDigits: 2, maximumFractionDigits: 2 };
    format = new Intl.NumberFormat('en-US', { style: 'currency', currency, ...digits });
    formats.set(currency, format);
  }
  return format.format(decimal(cents) as `${number}`);
}

/** An amount for files: `1234.50`. Throws RangeError on what is not a safe integer. */
export function decimal(cents: number): string {
  if (!Number.isSafeInteger(cents)) throw new RangeError(`not a whole number of cents: ${cents}`);
  const digits = String(Math.abs(cents)).padStart(3, '0');
  return `${cents < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
