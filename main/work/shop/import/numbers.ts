/**
 * Numbers as people and programs write them: `1,234.5`, `1.234,5`, `1 234,5`, `1'234.50`,
 * `1,23,456.00`, `(3)`, `3-`, `$2.50`, `2,50 €`, `USD 4`. Nothing passes through a float.
 *
 * One form says two things: a single point or comma before exactly three digits (`1.234`). It is
 * decided, in this order, by
 * 1. the other numbers of its column that can be read in one way only (`2,50`, `0.125`, `1.234.567`);
 * 2. those of the other columns of the file;
 * 3. the file's separator: semicolons come from places with a decimal comma, commas from places with
 *    a decimal point;
 * 4. else the three digits are a group: counts are whole, and money has two decimals.
 * Where the sources of 1 or 2 contradict each other it stays undecided. So does, unless 1 or 2
 * decide, a column in which every number ends in three zeros (`12.000`, `5.000`): that is how some
 * programs write 12 and 5, and others 12 thousand and 5 thousand.
 */
export type Mark = '.' | ',';

/** How the doubtful form is to be read in one column. */
export type Reading = Mark | 'grouped' | 'undecided';

/** A cell taken apart: sign, signs or codes of a currency, and what should be digits. */
export interface Written {
  negative: boolean;
  tokens: string[];
  body: string;
}

/** Digits before and after the decimal mark. */
export interface Decimal {
  whole: string;
  fraction: string;
}

type Form =
  | ({ doubt: false; mark: Mark | null } & Decimal)
  | { doubt: true; separator: Mark; before: string; after: string };

const MINUS = /^[-−–]/;

/** Takes a cell apart; what is left in `body` may still be no number. */
export function takeApart(cell: string): Written {
  // An apostrophe in front is how spreadsheets mark a cell as text.
  let text = cell.trim().replace(/^'/, '').trim();
  let negative = false;
  const bracketed = /^\((.*)\)$/su.exec(text);
  if (bracketed) {
    negative = true;
    text = (bracketed[1] ?? '').trim();
  }
  const tokens: string[] = [];
  const sign = () => {
    const signed = MINUS.test(text);
    if (signed && !negative) negative = true;
    else if (!text.startsWith('+')) return;
    text = text.slice(1).trim();
  };
  sign();
  const front = /^[\p{L}\p{Sc}]+\.?/u.exec(text);
  if (front) {
    tokens.push(front[0]);
    text = text.slice(front[0].length).trim();
    sign();
  }
  const back = /[\p{L}\p{Sc}]+\.?$/u.exec(text);
  if (back) {
    tokens.push(back[0]);
    text = text.slice(0, back.index).trim();
  }
  if (!negative && /\d[-−]$/.test(text)) {
    negative = true;
    text = text.slice(0, -1);
  }
  return { negative, tokens, body: text };
}

/** The digits of a body, the doubtful form read as told; null when it is no number, or undecided. */
export function digits(body: string, reading: Reading): Decimal | 'undecided' | null {
  const form = formOf(body);
  if (form === null) return null;
  if (!form.doubt) return form;
  if (reading === 'undecided') return 'undecided';
  return reading === form.separator
    ? { whole: form.before, fraction: form.after }
    : { whole: form.before + form.after, fraction: '' };
}

export function isDoubtful(body: string): boolean {
  return formOf(body)?.doubt === true;
}

/** Decides for each column of bodies (by its index) how the doubtful form is read there. */
export function decideReadings(
  columns: ReadonlyMap<number, readonly string[]>,
  separator: string,
): Map<number, Reading> {
  const sure = new Map([...columns].map(([index, bodies]) => [index, marksOf(bodies)]));
  const everywhere = new Set([...sure.values()].flatMap((marks) => [...marks]));
  const result = new Map<number, Reading>();
  for (const [index, bodies] of columns) {
    const own = sure.get(index) as Set<Mark>;
    const marks = own.size > 0 ? own : everywhere;
    const [only] = marks;
    if (marks.size > 1) result.set(index, 'undecided');
    else if (only) result.set(index, only);
    else if (bodies.length > 0 && bodies.every(endsInThreeZeros)) result.set(index, 'undecided');
    else result.set(index, separator === ';' ? ',' : separator === ',' ? '.' : 'grouped');
  }
  return result;
}

function marksOf(bodies: readonly string[]): Set<Mark> {
  const marks = new Set<Mark>();
  for (const body of bodies) {
    const form = formOf(body);
    if (form && !form.doubt && form.mark) marks.add(form.mark);
  }
  return marks;
}

function endsInThreeZeros(body: string): boolean {
  const form = formOf(body);
  return form?.doubt === true && form.after === '000';
}

function formOf(body: string): Form | null {
  // Spaces of every width and apostrophes only ever separate groups.
  const text = body.replace(/[^\S\r\n]|['’]/g, "'");
  if (!/^[\d.,']*\d[\d.,']*$/.test(text)) return null;
  const last = Math.max(text.lastIndexOf('.'), text.lastIndexOf(','));
  if (last < 0) return sure(ungroup(text, "'"), '', null);
  const mark = text[last] as Mark;
  const other: Mark = mark === '.' ? ',' : '.';
  const before = text.slice(0, last);
  const after = text.slice(last + 1);
  if (before.includes(mark)) {
    // The same separator twice: groups, so the decimal mark would be the other one.
    return text.includes(other) ? null : sure(ungroup(text, mark), '', other);
  }
  if (!/^\d*$/.test(after)) return null;
  if (before.includes(other)) return sure(ungroup(before, other), after, mark);
  if (before.includes("'")) return sure(ungroup(before, "'"), after, mark);
  if (after.length === 3 && /^[1-9]\d{0,2}$/.test(before)) {
    return { doubt: true, separator: mark, before, after };
  }
  return sure(before, after, mark);
}

function sure(whole: string | null, fraction: string, mark: Mark | null): Form | null {
  return whole === null ? null : { doubt: false, whole, fraction, mark };
}

/** Digits without their group separator: groups of three, or two and three as in India. */
function ungroup(text: string, separator: string): string | null {
  const groups = text.split(separator);
  if (groups.length > 1) {
    const [first = '', ...rest] = groups;
    const thousands = first.length <= 3 && rest.every((group) => group.length === 3);
    const lakhs =
      first.length <= 2 &&
      rest.slice(0, -1).every((group) => group.length === 2) &&
      rest.at(-1)?.length === 3;
    if (first.length === 0 || !(thousands || lakhs)) return null;
  }
  const joined = groups.join('');
  return /^\d+$/.test(joined) ? joined : null;
}
