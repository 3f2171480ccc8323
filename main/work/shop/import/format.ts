import type { Columns } from './header.ts';
import type { Row } from './table.ts';

/** One cell and where it stands; `column` is an index into the header. */
export interface Cell {
  row: number;
  column: number;
  text: string;
}

/** A product as the file tells it, its figures not yet read. */
export interface RawItem {
  /** The row that named it first. */
  row: number;
  sku: string;
  /** '' where the file has none. */
  name: string;
  unit: string;
  /** Summed; never empty. */
  onHand: Cell[];
  /** Summed; empty where the file says nothing. */
  reorderPoint: Cell[];
  unitCost: Cell | null;
  /** A cell that names the currency of the cost. */
  currency: Cell | null;
}

export interface Skipped {
  row: number;
  sku: string | null;
  why: string;
}

export interface Contents {
  items: RawItem[];
  skipped: Skipped[];
  /** The places the file counts in; empty where it knows none. */
  locations: string[];
}

/** One system's export. */
export interface Format {
  readonly name: string;
  recognise(columns: Columns): boolean;
  /** `location` (as the owner wrote it) limits the counts to one place. */
  read(rows: readonly Row[], columns: Columns, location: string | undefined): Contents;
}
