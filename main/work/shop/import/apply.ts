import { LullError, ok, type Result } from '../../../base/errors.ts';
import { canonicalJson } from '../../../base/ids.ts';
import type { Store } from '../../../base/store/database.ts';
import { stockTable } from '../../../base/store/stock.ts';
import type { Skipped } from './format.ts';
import { brief } from './header.ts';
import { type PlannedProduct, planImport } from './plan.ts';
import { type FileRequest, type ImportFile, readImportFile } from './read-file.ts';

export interface ImportRequest extends FileRequest {
  /** The file's name, for messages. */
  name: string;
  /** For products whose row has no reorder point. */
  reorderPoint?: number | undefined;
  /** Reports and stores nothing. */
  dryRun?: boolean;
  /** Epoch milliseconds. */
  now: number;
}

export interface ImportReport {
  dryRun: boolean;
  format: string;
  added: number;
  changed: number;
  unchanged: number;
  rows: { sku: string; change: 'added' | 'changed' | 'unchanged'; detail: string }[];
  skipped: Skipped[];
  notes: string[];
}

/**
 * Imports a stock file: reads all of it, compares it with what is stored, and writes the difference
 * in one transaction. Every count comes from an event with the identity `import:<digest>:<sku>`, the
 * digest being the file's SHA-256 (with `map` and `location` in it when they are given, since the
 * same bytes then tell other counts), so the same file again changes nothing.
 * Bad input is a Failure `invalid` of one line that begins with the file's name; nothing is stored.
 */
export function importInventory(store: Store, request: ImportRequest): Result<ImportReport> {
  try {
    const file = readImportFile(request);
    if (request.dryRun) {
      const { planned, left } = plan(store, file, request);
      return ok(report(planned, file, left, true));
    }
    return store.join(() => {
      const { planned, left } = plan(store, file, request);
      write(store, planned, file.digest, request);
      return ok(report(planned, file, left, false));
    });
  } catch (error) {
    if (!(error instanceof LullError)) throw error;
    const failed = error.toFailure();
    return { ...failed, message: `${brief(request.name)}: ${failed.message}` };
  }
}

function plan(store: Store, file: ImportFile, request: ImportRequest) {
  const table = stockTable(store.db);
  const stored = new Map(table.products().map((product) => [product.sku, product]));
  const planned = planImport(file.items, stored, {
    reorderPoint: request.reorderPoint,
    currency: request.currency,
    counted: (sku) => table.eventPayload(eventId(file.digest, sku)) !== undefined,
  });
  for (const { sku } of file.items) stored.delete(sku);
  return { planned, left: stored.size };
}

function write(
  store: Store,
  planned: readonly PlannedProduct[],
  digest: string,
  { name, now }: ImportRequest,
): void {
  const table = stockTable(store.db);
  const reason = [...`import of ${name}`].slice(0, 200).join('');
  for (const { product, change, delta } of planned) {
    const { sku } = product;
    if (change !== 'unchanged') table.putProduct(product, now);
    if (delta === null) continue;
    const payload = canonicalJson({ sku, delta, reason });
    table.addEvent({ eventId: eventId(digest, sku), sku, delta, reason, payload, at: now });
  }
}

function eventId(digest: string, sku: string): string {
  return `import:${digest}:${sku}`;
}

function report(
  planned: readonly PlannedProduct[],
  file: ImportFile,
  left: number,
  dryRun: boolean,
): ImportReport {
  const count = (change: PlannedProduct['change']) =>
    planned.filter((one) => one.change === change).length;
  const again = planned.filter((one) => one.delta === null).length;
  return {
    dryRun,
    format: file.format,
    added: count('added'),
    changed: count('changed'),
    unchanged: count('unchanged'),
    rows: planned.map(({ product, change, detail }) => ({ sku: product.sku, change, detail })),
    skipped: file.skipped,
    notes: [
      ...file.notes,
      ...(again > 0 ? [`counts taken from this file before, not taken again: ${again}`] : []),
      ...(left > 0 ? [`products stored but not in this file, kept as they are: ${left}`] : []),
    ],
  };
}
