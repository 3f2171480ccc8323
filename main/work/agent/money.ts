const formats = new Map<string, Intl.NumberFormat>();

/** Integer cents of a currency for people, for example `$1,234.50`; exact for every safe integer. */
export function money(cents: number, currency: string): string {
  let format = formats.get(currency);
  if (!format) {
    const digits = { minimumFractionDigits: 2, maximumFractionDigits: 2 };
    format = new Intl.NumberFormat('en-US', { style: 'currency', currency, ...digits });
    formats.set(currency, format);
  }
  const padded = String(cents).padStart(3, '0');
  return format.format(`${padded.slice(0, -2)}.${padded.slice(-2)}` as `${number}`);
}
