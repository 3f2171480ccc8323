/** What a sign or code beside an amount can mean: `€` is EUR; `$` is any dollar; null is no currency. */
export function currenciesOf(token: string): ReadonlySet<string> | null {
  const bare = token.replace(/\.$/, '');
  if (/^[a-z]{3}$/i.test(bare)) {
    const code = bare.toUpperCase();
    if (codes().has(code)) return new Set([code]);
  }
  return signs().get(bare) ?? null;
}

let knownCodes: Set<string> | undefined;
function codes(): Set<string> {
  knownCodes ??= new Set(Intl.supportedValuesOf('currency'));
  return knownCodes;
}

let knownSigns: Map<string, Set<string>> | undefined;
/** Every sign the platform writes for a currency, long (`CA$`, `US$`) and short (`$`, `kr`). */
function signs(): Map<string, Set<string>> {
  if (knownSigns) return knownSigns;
  knownSigns = new Map();
  for (const currency of codes()) {
    for (const [locale, currencyDisplay] of [
      ['en', 'narrowSymbol'],
      ['en', 'symbol'],
      ['en-CA', 'symbol'],
    ] as const) {
      const format = new Intl.NumberFormat(locale, {
        style: 'currency',
        currency,
        currencyDisplay,
      });
      const sign = format.formatToParts(1).find((part) => part.type === 'currency')?.value;
      if (!sign || sign === currency) continue;
      const meanings = knownSigns.get(sign) ?? new Set();
      knownSigns.set(sign, meanings.add(currency));
    }
  }
  return knownSigns;
}
