import { TIERS, type Tier } from '../../base/config-schema.ts';
import {
  type Candidate,
  type Choice,
  type Choices,
  type Costable,
  costsOf,
  LEAST_WINDOW,
  NEEDED_WINDOW,
  unfitFor,
} from './candidates.ts';
import { MOST_MODELS } from './ceiling.ts';
import { DEFAULT_WINDOWS } from './lineup.ts';
import { choiceReasons, whyLeft } from './proposal-words.ts';

export interface ProposedTier {
  readonly server: string;
  readonly model: string;
  readonly numCtx: number;
  /** What is counted for it, bytes; null: it is in memory anyway, and nobody says how much it uses. */
  readonly bytes: number | null;
  /** To be written to the settings: its server cannot say what it uses, so the owner confirms this. */
  readonly memoryGb?: number;
}

export interface Proposal {
  readonly budgetBytes: number;
  /** Null: no model was found that fits; the offline model serves. */
  readonly tiers: Readonly<Record<Tier, ProposedTier>> | null;
  /** Why these, a sentence each. */
  readonly reasons: string[];
  /** What was found and is no part of it. */
  readonly left: { server: string; model: string; why: string }[];
}

/** Up to this much RAM one model serves all tiers: two that are of use do not fit. */
export const ONE_MODEL_UP_TO = 12e9;
const WINDOWS = [32_768, 16_384, 8192, LEAST_WINDOW] as const;
/** Smaller ones are toys beside it, if there is one of this size (about 1.5 billion parameters). */
const LEAST_PINNED_BYTES = 1e9;

/** Logarithms of sizes closer than this are as near. */
const AS_NEAR = 1e-6;

/** The part of RAM that models may use unless the owner says otherwise. */
export const BUDGET_SHARE = 0.75;

/**
 * The lineup that fits this machine: a small model that stays, the largest that fits beside it for
 * synthesis, the largest that fits alone for stretch, one between for routine. More RAM never gives a
 * smaller model for heavy work. Pure; nothing is asked of a server.
 */
export function proposeLineup(
  candidates: readonly Candidate[],
  ramBytes: number,
  budget = ramBytes * BUDGET_SHARE,
): Proposal {
  const facts = { ramBytes, budget, found: candidates.length };
  const fit = candidates.filter((one) => unfitFor(one) === null);
  const room = roomFor(candidates, budget);
  const stays = fit
    .filter((one) => one.stays)
    .sort((a, b) => Number(a.tools === false) - Number(b.tools === false) || sizeOf(b) - sizeOf(a));
  const untold = stays.some((one) => costsOf(one) === null);
  if (stays[0] && (untold || !room.fits())) return onlyThis(stays[0], candidates, budget, untold);

  const known = fit.flatMap((one) => costsOf(one) ?? []);
  const able = known.filter((one) => one.candidate.tools !== false);
  const ofAble = choose(able, room, ramBytes);
  const pool = ofAble ? able : known;
  const choices = ofAble ?? choose(known, room, ramBytes);
  const tiers = choices && forTiers((tier) => proposed(choices[tier]));
  const used = new Set(choices ? TIERS.map((tier) => choices[tier].of.candidate) : []);
  const left = candidates
    .filter((one) => !used.has(one))
    .map((one) => ({ server: one.server, model: one.model, why: whyLeft(one, pool, budget) }));
  return { budgetBytes: budget, tiers, reasons: choiceReasons(choices, facts), left };
}

const sizeOf = (one: Candidate) => one.bytes ?? 0;

function forTiers<T>(of: (tier: Tier) => T): Record<Tier, T> {
  return Object.fromEntries(TIERS.map((tier) => [tier, of(tier)])) as Record<Tier, T>;
}

function proposed({ of, numCtx }: Choice): ProposedTier {
  const { server, model } = of.candidate;
  const bytes = of.cost(numCtx);
  const memory = of.guessed ? { memoryGb: Math.round(bytes / 1e8) / 10 } : {};
  return { server, model, numCtx: Math.min(numCtx, of.windowFor(numCtx)), bytes, ...memory };
}

/** A model that is always in memory, and may take all there is, leaves nothing to be counted on. */
function onlyThis(
  one: Candidate,
  candidates: readonly Candidate[],
  budgetBytes: number,
  untold: boolean,
): Proposal {
  const { server, model, window } = one;
  const tiers = forTiers((tier): ProposedTier => {
    const numCtx = Math.min(DEFAULT_WINDOWS[tier], window ?? DEFAULT_WINDOWS[tier]);
    return { server, model, numCtx, bytes: null };
  });
  const what = untold ? 'what it uses is not known' : 'may use all the room there is';
  const why = `${model} on ${one.title} is always in memory, and ${what}`;
  const left = candidates.filter((each) => each !== one);
  return {
    budgetBytes,
    tiers,
    reasons: [`${why}: it serves all tiers, and nothing can be loaded beside it.`],
    left: left.map((each) => ({
      server: each.server,
      model: each.model,
      why: unfitFor(each) ?? `cannot be loaded safely: ${why}`,
    })),
  };
}

interface Room {
  /** Bytes of these together with what is in memory anyway; infinite where they are too many. */
  total(...set: Choice[]): number;
  fits(...set: Choice[]): boolean;
}

function roomFor(candidates: readonly Candidate[], budget: number): Room {
  const stays = candidates.filter((one) => one.stays && !one.remote);
  const base = stays.map((one) => [one, costsOf(one)?.cost(NEEDED_WINDOW) ?? 0] as const);
  function total(...set: Choice[]): number {
    const costs = new Map<Candidate, number>(base);
    for (const { of, numCtx } of set) {
      costs.set(of.candidate, Math.max(costs.get(of.candidate) ?? 0, of.cost(numCtx)));
    }
    if (costs.size > MOST_MODELS) return Number.POSITIVE_INFINITY;
    return [...costs.values()].reduce((sum, cost) => sum + cost, 0);
  }
  return { total, fits: (...set) => total(...set) <= budget };
}

/**
 * Two slots, unless they would give a smaller model than one for all: the largest that a machine with
 * room for one can have, or the one that needs least.
 */
function choose(pool: readonly Costable[], room: Room, ramBytes: number): Choices | null {
  const need = (one: Costable) => room.total(at(one, NEEDED_WINDOW));
  const alone = pool.filter((one) => room.fits(at(one, NEEDED_WINDOW)));
  const giant = best(alone, (a, b) => b.weight - a.weight || need(a) - need(b));
  if (!giant) {
    // The one that would be the first to fit, with less of a window than it should have.
    const first = best(pool, (a, b) => need(a) - need(b) || b.weight - a.weight);
    return first && room.fits(at(first, LEAST_WINDOW)) ? oneForAll(first, first, room) : null;
  }
  if (ramBytes <= ONE_MODEL_UP_TO) return oneForAll(giant, giant, room);
  const modest = alone.filter((one) => need(one) <= ONE_MODEL_UP_TO * BUDGET_SHARE);
  const small = best(modest, (a, b) => b.weight - a.weight || need(a) - need(b));
  const floor = small ?? best(alone, (a, b) => need(a) - need(b) || b.weight - a.weight) ?? giant;
  const pair = bestPair(pool, room);
  if (!pair || pair.heavy.weight < floor.weight) return oneForAll(floor, giant, room);
  return twoSlots(pair, pool, giant, room);
}

const at = (of: Costable, numCtx: number): Choice => ({ of, numCtx });

interface Pair {
  readonly pinned: Costable;
  readonly heavy: Costable;
}

/** The pair with the largest heavy model; of those the one whose pinned model costs least. */
function bestPair(pool: readonly Costable[], room: Room): Pair | null {
  const useful = pool.filter((one) => one.weight >= LEAST_PINNED_BYTES);
  const pairs = (useful.length > 0 ? useful : pool).flatMap((pinned) =>
    pool
      .filter(
        (heavy) =>
          heavy.weight > pinned.weight &&
          room.fits(at(pinned, NEEDED_WINDOW), at(heavy, NEEDED_WINDOW)),
      )
      .map((heavy) => ({ pinned, heavy })),
  );
  const byWorth = (a: Pair, b: Pair) =>
    b.heavy.weight - a.heavy.weight ||
    a.pinned.cost(NEEDED_WINDOW) - b.pinned.cost(NEEDED_WINDOW) ||
    a.pinned.weight - b.pinned.weight;
  return pairs.sort(byWorth)[0] ?? null;
}

function twoSlots(
  { pinned, heavy }: Pair,
  pool: readonly Costable[],
  giant: Costable,
  room: Room,
): Choices {
  const middle = between(pinned, heavy, pool, room);
  const shared = middle === pinned ? DEFAULT_WINDOWS.routine : DEFAULT_WINDOWS.pinned;
  const small = widest(pinned, shared, (one) => room.fits(one, at(heavy, NEEDED_WINDOW)));
  const synthesis = widest(heavy, DEFAULT_WINDOWS.synthesis, (one) => room.fits(small, one));
  const routine =
    middle === pinned
      ? small
      : middle === heavy
        ? synthesis
        : widest(middle, DEFAULT_WINDOWS.routine, (one) => room.fits(small, one));
  const stretch = giant.weight > heavy.weight ? alone(giant, room) : synthesis;
  return { pinned: small, routine, synthesis, stretch, single: false };
}

/** The one nearest to the middle of the two by size; of two as near, the smaller. */
function between(
  pinned: Costable,
  heavy: Costable,
  pool: readonly Costable[],
  room: Room,
): Costable {
  const middle = pinned.weight * heavy.weight;
  const far = (one: Costable) => Math.abs(Math.log(one.weight ** 2 / middle));
  const fitting = pool.filter(
    (one) =>
      one.weight >= pinned.weight &&
      one.weight <= heavy.weight &&
      room.fits(at(pinned, NEEDED_WINDOW), at(one, NEEDED_WINDOW)),
  );
  const bySize = [pinned, heavy, ...fitting].sort((x, y) => x.weight - y.weight);
  return bySize.reduce((near, one) => (far(one) < far(near) - AS_NEAR ? one : near));
}

/** Every tier that is called while another may be resident shares one model and one window. */
function oneForAll(one: Costable, giant: Costable, room: Room): Choices {
  const shared = widest(one, DEFAULT_WINDOWS.synthesis, (choice) => room.fits(choice));
  const stretch = giant.weight > one.weight ? alone(giant, room) : shared;
  return { pinned: shared, routine: shared, synthesis: shared, stretch, single: true };
}

function alone(one: Costable, room: Room): Choice {
  return widest(one, DEFAULT_WINDOWS.stretch, (choice) => room.fits(choice));
}

/** The widest window up to this one with which it fits. */
function widest(of: Costable, upTo: number, fits: (choice: Choice) => boolean): Choice {
  const windows = WINDOWS.filter((numCtx) => numCtx <= upTo);
  const numCtx = windows.find((one) => fits(at(of, one))) ?? LEAST_WINDOW;
  return at(of, numCtx);
}

function best(
  list: readonly Costable[],
  order: (a: Costable, b: Costable) => number,
): Costable | undefined {
  return [...list].sort(order)[0];
}
