import type { Tier } from '../../base/config-schema.ts';

/** At most this many models are resident at once; the embedder stands outside the count. */
export const MOST_MODELS = 2;

export interface Resident {
  readonly server: string;
  readonly model: string;
  readonly digest: string;
  readonly numCtx: number | null;
  /** Bytes charged to the budget; null when nothing sound is known. */
  readonly cost: number | null;
  /** Loaded by Lull: others are counted and never unloaded. */
  readonly ours: boolean;
  readonly role: 'pinned' | 'worker' | 'embedder';
  /** A call of ours runs on it, or it did not leave when asked: it cannot be moved now. */
  readonly fixed: boolean;
  /** A load on its server may put it out, whoever loaded it. */
  readonly swapped: boolean;
  /** Its server has no way to unload it, so that it is nobody's to move. */
  readonly stays: boolean;
}

export interface Wanted {
  readonly server: string;
  readonly model: string;
  readonly tier: Tier;
  /** Bytes it will use; null when it cannot be known. */
  readonly cost: number | null;
  /** Its server would say what it uses, once it is loaded. */
  readonly measured: boolean;
}

export type RefusalCode = 'ceiling' | 'foreign' | 'unknown-cost' | 'never-fits';

export type Plan =
  | { go: true; unload: Resident[] }
  | { go: false; code: RefusalCode; reason: string };

/**
 * What must leave before a model may be loaded, or why it may not be: decided before anything is
 * asked of a server. The worker slot gives way to the new worker. Then, only as far as room is
 * lacking: the embedder, then the other slot's model (so stretch puts the pinned one out). Models of
 * other programs never leave by us, nor by a server that would make room for ours.
 */
export function planLoad(wanted: Wanted, residents: readonly Resident[], budget: number): Plan {
  const { cost } = wanted;
  if (cost === null) {
    const remedy = `set models.tiers.${wanted.tier}.memoryGb`;
    const first = wanted.measured ? 'load it once yourself to measure it, or ' : '';
    return refuse('unknown-cost', `cannot cost ${wanted.model}: ${first}${remedy}`);
  }
  if (cost > budget) {
    const [needs, allows] = figures(cost, budget);
    const reason = `${wanted.model} needs ${needs} GB, this machine allows ${allows} GB`;
    return refuse('never-fits', reason);
  }
  const same = residents.find((one) => isSame(one, wanted));
  const displaced = residents.filter((one) => one === same || isSwapped(one, wanted));
  const theirs = displaced.filter((one) => !one.ours);
  if (theirs.length > 0) return refuse('foreign', inUse(theirs));
  const must = residents.filter(
    (one) => one.ours && (displaced.includes(one) || givesWay(one, wanted)),
  );
  const blocked = must.find((one) => one.fixed);
  if (blocked) return refuse('ceiling', `${blocked.model} is still in memory and cannot leave now`);

  const staying = residents.filter((one) => !must.includes(one));
  const unknown = staying.filter((one) => one.cost === null);
  if (unknown.length > 0 && wanted.tier !== 'pinned') {
    return refuse('unknown-cost', `cannot cost resident model(s) ${names(unknown)}`);
  }
  const movable = staying.filter((one) => one.ours && !one.fixed);
  const embedder = movable.filter((one) => one.role === 'embedder');
  const other = movable.filter((one) => one.role !== 'embedder');
  for (const more of [[], embedder, other, movable]) {
    const left = staying.filter((one) => !more.includes(one));
    if (breach(cost, left, budget) === null) return { go: true, unload: [...must, ...more] };
  }

  const left = staying.filter((one) => !movable.includes(one));
  const reason = breach(cost, left, budget) as string;
  const foreign = left.filter((one) => !one.ours);
  const without = left.filter((one) => one.ours);
  if (foreign.length > 0 && breach(cost, without, budget) === null) {
    return refuse('foreign', `${inUse(foreign)} (${reason})`);
  }
  return refuse('ceiling', reason);
}

/** Whether a model of ours leaves its slot to the wanted one whether or not room is lacking. */
function givesWay(one: Resident, wanted: Wanted): boolean {
  return wanted.tier !== 'pinned' && one.role === 'worker';
}

/** Whether the server of the wanted model may put this one out to load it. */
function isSwapped(one: Resident, wanted: Wanted): boolean {
  return one.swapped && one.server === wanted.server;
}

/** Whose the models are that are not ours to move. */
function inUse(models: readonly Resident[]): string {
  const verb = models.length === 1 ? 'is' : 'are';
  if (models.every((one) => one.stays)) {
    return `${names(models)} ${verb} in memory, and the server cannot be told to unload`;
  }
  return `${names(models)} ${verb} in use by another program`;
}

/** Why this set and one more model are too many, or null when they fit. */
export function breach(cost: number, others: readonly Resident[], budget: number): string | null {
  const count = 1 + others.filter((one) => one.role !== 'embedder').length;
  if (count > MOST_MODELS) return `would hold ${count} models > max ${MOST_MODELS}`;
  const total = others.reduce((sum, one) => sum + (one.cost ?? 0), cost);
  if (total <= budget) return null;
  const [use, usable] = figures(total, budget);
  return `would use ${use} GB > usable budget ${usable} GB`;
}

function refuse(code: RefusalCode, reason: string): Plan {
  return { go: false, code, reason };
}

function isSame(one: Resident, wanted: Wanted): boolean {
  return one.server === wanted.server && one.model === wanted.model;
}

function names(models: readonly Resident[]): string {
  const list = models.map((one) => one.model);
  return list.length < 2 ? list.join('') : `${list.slice(0, -1).join(', ')} and ${list.at(-1)}`;
}

/** Two amounts in decimal GB, with as many places as it takes to tell them apart. */
function figures(a: number, b: number): [string, string] {
  for (let places = 1; places < 9; places++) {
    const [x, y] = [(a / 1e9).toFixed(places), (b / 1e9).toFixed(places)];
    if (x !== y) return [x, y];
  }
  return [String(a / 1e9), String(b / 1e9)];
}
