import { canonicalJson, sha256 } from '../base/ids.ts';
import { money } from '../base/money.ts';
import type { OrderLine } from '../work/agent/draft-body.ts';
import { day, moment } from './view-model/moment.ts';
import { oneLine } from './view-model/text.ts';

/** What the shop needs of one product now. */
export interface CurrentNeed {
  /** How many are missing up to the reorder point; 0 = none. */
  needed: number;
  unitCostCents: number | null;
  /** When its count last changed, epoch ms; null where that is not recorded. */
  countedAt: number | null;
}

/** An order that was applied lately. */
export interface AppliedOrder {
  id: number;
  appliedAt: number;
  lines: readonly Pick<OrderLine, 'sku' | 'quantity'>[];
}

export interface OrderInQuestion {
  id: number;
  currency: string;
  createdAt: number;
  lines: readonly OrderLine[];
}

export interface Changes {
  /** One plain sentence each. */
  sentences: string[];
  /** Stands for exactly what was observed: it changes when any of it does. */
  confirm: string;
}

/** How long an applied order counts as covering a need. */
export const COVERED_FOR_MS = 7 * 86_400_000;

/**
 * Compares an order with the shop as it is now: other need, other price, a product that is gone, a
 * newer stock count, or an order of the last seven days for the same product. Null when all is as it
 * was drafted. `needs` gives null for a product that is no longer known.
 */
export function orderChanges(
  order: OrderInQuestion,
  needs: (sku: string) => CurrentNeed | null,
  applied: readonly AppliedOrder[],
  zone: string,
): Changes | null {
  const observed: unknown[] = [];
  const sentences: string[] = [];
  for (const line of order.lines) {
    const need = needs(line.sku);
    const covering = applied.filter(
      ({ id, lines }) => id !== order.id && lines.some(({ sku }) => sku === line.sku),
    );
    const found = [
      ...(need ? compare(order, line, need, zone) : ['it is not among the products any more']),
      ...covering.map((other) => covers(other, line, zone)),
    ];
    if (found.length === 0) continue;
    observed.push({ line, need, covering });
    const label = line.name === line.sku ? line.sku : `${line.name} (${line.sku})`;
    sentences.push(...found.map((text) => `${oneLine(label)}: ${text}`));
  }
  if (sentences.length === 0) return null;
  return { sentences, confirm: sha256(canonicalJson({ id: order.id, observed })).slice(0, 16) };
}

function compare(
  order: OrderInQuestion,
  line: OrderLine,
  need: CurrentNeed,
  zone: string,
): string[] {
  const found: string[] = [];
  const unit = oneLine(line.unit);
  if (need.needed !== line.quantity) {
    const now = need.needed === 0 ? 'nothing is needed' : `${need.needed} ${unit} are needed`;
    found.push(`${now} now; the draft orders ${line.quantity} ${unit}`);
  } else if (need.countedAt !== null && need.countedAt > order.createdAt) {
    found.push(
      `its stock changed again on ${moment(need.countedAt, zone)}, after this draft; the need is still ${line.quantity} ${unit}`,
    );
  }
  if (need.unitCostCents === null) {
    found.push('its unit cost is not known any more');
  } else if (need.unitCostCents !== line.unitCostCents) {
    const [now, drafted] = [need.unitCostCents, line.unitCostCents].map((cents) =>
      money(cents, order.currency),
    );
    found.push(`its unit cost is ${now} now; the draft says ${drafted}`);
  }
  return found;
}

function covers(other: AppliedOrder, line: OrderLine, zone: string): string {
  const quantity = other.lines
    .filter(({ sku }) => sku === line.sku)
    .reduce((sum, { quantity }) => sum + quantity, 0);
  return `order ${other.id} of ${day(other.appliedAt, zone)} already covers ${quantity} ${oneLine(line.unit)}`;
}
