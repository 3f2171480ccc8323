import { cut, oneLine, widthOf } from './text.ts';

export interface Column<Row> {
  head: string;
  cell: (row: Row) => string | number | null;
  /** Numbers stand on the right. */
  right?: boolean;
  /** Gives way first where the terminal is narrow. */
  yields?: boolean;
}

const GAP = '  ';
const NARROWEST = 12;

/** Aligned columns under their heads; `columns` is the terminal's width, null where nothing limits it. */
export function table<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  width: number | null,
): string[] {
  const cells = [
    columns.map((column) => column.head),
    ...rows.map((row) => columns.map((column) => oneLine(String(column.cell(row) ?? '')))),
  ];
  const widths = columns.map((_, at) => Math.max(...cells.map((line) => widthOf(line[at] ?? ''))));
  if (width !== null) shrink(widths, columns, width);
  return cells.map((line) =>
    line
      .map((text, at) => {
        const room = widths[at] ?? 0;
        const shown = cut(text, room);
        const blank = ' '.repeat(room - widthOf(shown));
        return columns[at]?.right ? blank + shown : shown + blank;
      })
      .join(GAP)
      .trimEnd(),
  );
}

function shrink(widths: number[], columns: readonly Column<never>[], width: number): void {
  let over = widths.reduce((sum, one) => sum + one, GAP.length * (widths.length - 1)) - width;
  const yielding = columns.flatMap((column, at) => (column.yields ? [at] : []));
  while (over > 0) {
    const widest = yielding.reduce(
      (a, b) => ((widths[b] ?? 0) > (widths[a] ?? 0) ? b : a),
      yielding[0] ?? -1,
    );
    const room = widths[widest] ?? 0;
    if (room <= NARROWEST) return;
    widths[widest] = room - 1;
    over--;
  }
}

/** Names and values below each other; what is null or empty is left out. */
export function facts(pairs: readonly (readonly [string, string | number | null])[]): string[] {
  const shown = pairs.filter(([, value]) => value !== null && value !== '');
  const room = Math.max(0, ...shown.map(([name]) => widthOf(name)));
  return shown.map(([name, value]) => `${name.padEnd(room)}${GAP}${oneLine(String(value))}`);
}
