/**
 * An amount for people: `$15.00`, `EUR 15.00`. Integer cents only, two digits always, no grouping, so
 * that the same amount reads the same everywhere. Throws RangeError on what is not a safe integer.
 */
export function money(cents: number, currency: string): string {
  const sign = cents < 0 ? '-' : '';
  const amount = decimal(Math.abs(cents));
  return currency === 'USD' ? `${sign}$${amount}` : `${currency} ${sign}${amount}`;
}

/** An amount for files: `15.00`. */
export function decimal(cents: number): string {
  if (!Number.isSafeInteger(cents)) throw new RangeError(`not a whole number of cents: ${cents}`);
  const digits = String(Math.abs(cents)).padStart(3, '0');
  return `${cents < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
