/** A stretch of time, half-open: [from, until), epoch ms. */
export interface Span {
  from: number;
  until: number;
}

/** The spans in order, those that touch or overlap as one; empty ones are gone. */
export function merged(spans: readonly Span[]): Span[] {
  const out: Span[] = [];
  for (const { from, until } of [...spans].sort((a, b) => a.from - b.from)) {
    if (until <= from) continue;
    const last = out.at(-1);
    if (last && from <= last.until) last.until = Math.max(last.until, until);
    else out.push({ from, until });
  }
  return out;
}

/** What lies in both; each list must be merged. */
export function common(a: readonly Span[], b: readonly Span[]): Span[] {
  const out: Span[] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    const [one, other] = [a[i] as Span, b[j] as Span];
    const from = Math.max(one.from, other.from);
    const until = Math.min(one.until, other.until);
    if (from < until) out.push({ from, until });
    if (one.until < other.until) i++;
    else j++;
  }
  return out;
}

export function clipped(spans: readonly Span[], from: number, until: number): Span[] {
  return common(spans, [{ from, until }]);
}

/** Milliseconds of all of them together; they must be merged. */
export function lengthOf(spans: readonly Span[]): number {
  return spans.reduce((sum, { from, until }) => sum + until - from, 0);
}
