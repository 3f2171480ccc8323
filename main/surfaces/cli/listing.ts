/** What a person gets of a long list without asking for more; a program (`--json`) gets all of it. */
const ONE_SCREEN = 50;
/** The most rows one command gives. */
const LARGEST_PAGE = 500;

export interface Listing<Row> {
  rows: Row[];
  /** There is more behind the last row. */
  more: boolean;
}

/**
 * Reads a list page by page. `fetch` gives the rows after `last` (from the start where it is null), at
 * most `limit` of them.
 */
export async function readListing<Row>(
  wanted: { limit?: number | undefined; json: boolean },
  fetch: (last: Row | null, limit: number) => Promise<Row[]>,
): Promise<Listing<Row>> {
  const most = wanted.limit ?? (wanted.json ? Number.POSITIVE_INFINITY : ONE_SCREEN);
  const rows: Row[] = [];
  for (;;) {
    const page = Math.min(LARGEST_PAGE, most - rows.length + 1); // one more tells whether there is more
    const got = await fetch(rows.at(-1) ?? null, page);
    rows.push(...got);
    if (rows.length > most) return { rows: rows.slice(0, most), more: true };
    if (got.length < page) return { rows, more: false };
  }
}
