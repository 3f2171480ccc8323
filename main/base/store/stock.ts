import type Database from 'better-sqlite3';

/**
 * Stock: products and the append-only events that explain every count. `on_hand` is changed by the
 * insertion of an event alone (trigger), so the two cannot disagree; below zero is refused.
 * `reorder_point` and `unit_cost_cents` are null where nobody has said: such a product has no need.
 */
export const stockDefinition = `
CREATE TABLE products (
  sku TEXT PRIMARY KEY CHECK (length(sku) BETWEEN 1 AND 100),
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 300),
  unit TEXT NOT NULL DEFAULT 'units' CHECK (length(unit) BETWEEN 1 AND 40),
  on_hand INTEGER NOT NULL DEFAULT 0 CHECK (on_hand >= 0),
  reorder_point INTEGER CHECK (reorder_point >= 0),
  unit_cost_cents INTEGER CHECK (unit_cost_cents >= 0),
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE stock_events (
  id INTEGER PRIMARY KEY,
  event_id TEXT NOT NULL UNIQUE CHECK (length(event_id) BETWEEN 1 AND 200),
  sku TEXT NOT NULL REFERENCES products (sku),
  delta INTEGER NOT NULL,
  reason TEXT NOT NULL CHECK (length(reason) BETWEEN 1 AND 200),
  payload TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT;
CREATE INDEX stock_events_sku ON stock_events (sku, id);
CREATE TRIGGER stock_events_apply AFTER INSERT ON stock_events
BEGIN UPDATE products SET on_hand = on_hand + NEW.delta, updated_at = NEW.at WHERE sku = NEW.sku; END;
CREATE TRIGGER stock_events_no_update BEFORE UPDATE ON stock_events
BEGIN SELECT RAISE(ABORT, 'stock events are append-only'); END;
CREATE TRIGGER stock_events_no_delete BEFORE DELETE ON stock_events
BEGIN SELECT RAISE(ABORT, 'stock events are append-only'); END;
`;

/** A product as stored. Null: nobody has said. */
export interface ProductRecord {
  sku: string;
  name: string;
  unit: string;
  onHand: number;
  reorderPoint: number | null;
  unitCostCents: number | null;
}

export interface StockEvent {
  eventId: string;
  sku: string;
  delta: number;
  reason: string;
  /** Canonical JSON of what the event says: the same identity with other words is a conflict. */
  payload: string;
  at: number;
}

const PRODUCT = `SELECT sku, name, unit, on_hand AS onHand, reorder_point AS reorderPoint,
  unit_cost_cents AS unitCostCents FROM products`;

/** A text as it is searched: without case and accents. */
function folded(text: unknown): string {
  return String(text).normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}

/** The statements over products and stock events, prepared once. Products come in order of SKU. */
export function stockTable(db: Database.Database) {
  db.function('folded', { deterministic: true }, folded);
  const one = db.prepare<[string], ProductRecord>(`${PRODUCT} WHERE sku = ?`);
  const page = db.prepare<[string, number], ProductRecord>(
    `${PRODUCT} WHERE sku > ? ORDER BY sku LIMIT ?`,
  );
  const found = db.prepare<[string, string, string, number], ProductRecord>(
    `${PRODUCT} WHERE sku > ? AND (instr(folded(sku), ?) OR instr(folded(name), ?))
     ORDER BY sku LIMIT ?`,
  );
  const all = db.prepare<[], ProductRecord>(`${PRODUCT} ORDER BY sku`);
  const skus = db.prepare<[], string>('SELECT sku FROM products ORDER BY sku').pluck();
  const count = db.prepare<[], number>('SELECT count(*) FROM products').pluck();
  const put = db.prepare<[Omit<ProductRecord, 'onHand'> & { at: number }]>(
    `INSERT INTO products (sku, name, unit, reorder_point, unit_cost_cents, updated_at)
     VALUES (@sku, @name, @unit, @reorderPoint, @unitCostCents, @at)
     ON CONFLICT (sku) DO UPDATE SET name = @name, unit = @unit, reorder_point = @reorderPoint,
       unit_cost_cents = @unitCostCents, updated_at = @at`,
  );
  const payload = db
    .prepare<[string], string>('SELECT payload FROM stock_events WHERE event_id = ?')
    .pluck();
  const add = db.prepare<[StockEvent]>(
    `INSERT INTO stock_events (event_id, sku, delta, reason, payload, at)
     VALUES (@eventId, @sku, @delta, @reason, @payload, @at)`,
  );
  const newest = db
    .prepare<[string], number>('SELECT at FROM stock_events WHERE sku = ? ORDER BY id DESC LIMIT 1')
    .pluck();
  return {
    product: (sku: string): ProductRecord | undefined => one.get(sku),
    productsAfter: (after: string, limit: number): ProductRecord[] => page.all(after, limit),
    /** Those whose SKU or name holds the words, whatever their case and accents. */
    productsNamed(words: string, after: string, limit: number): ProductRecord[] {
      const wanted = folded(words);
      return found.all(after, wanted, wanted, limit);
    },
    products: (): ProductRecord[] => all.all(),
    skus: (): string[] => skus.all(),
    countProducts: (): number => count.get() ?? 0,
    /** Adds the product with nothing on hand, or changes all but its count. */
    putProduct(product: Omit<ProductRecord, 'onHand'>, at: number): void {
      const { sku, name, unit, reorderPoint, unitCostCents } = product;
      put.run({ sku, name, unit, reorderPoint, unitCostCents, at });
    },
    /** When the newest event of a product was recorded, epoch ms; null where there is none. */
    lastCountedAt: (sku: string): number | null => newest.get(sku) ?? null,
    eventPayload: (eventId: string): string | undefined => payload.get(eventId),
    /** Appends the event; its trigger moves the count, and throws where that would be below zero. */
    addEvent(event: StockEvent): void {
      add.run(event);
    },
  };
}
