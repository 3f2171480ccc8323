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
