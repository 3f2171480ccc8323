/** Integer cents as an amount: `$15.00`, `CHF 3.20`; without a currency `15.00`; empty for null. */
export function money(cents: number | null, currency: string | null): string {
  if (cents === null) return '';
  const digits = { minimumFractionDigits: 2, maximumFractionDigits: 2 };
  const style =
    currency && /^[A-Z]{3}$/.test(currency) ? { style: 'currency' as const, currency } : {};
  return new Intl.NumberFormat('en-US', { ...style, ...digits })
    .format(cents / 100)
    .replace(/\u00a0/g, ' ');
}
