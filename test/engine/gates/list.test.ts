import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TIERS } from '../../../main/base/config-schema.ts';
import { factsSchema } from '../../../main/engine/gates/facts.ts';
import { holds } from '../../../main/engine/gates/gate.ts';
import { admittance, nextChange } from '../../../main/engine/gates/list.ts';
import { pauseGate } from '../../../main/engine/gates/pause.ts';
import { inputWith, job, MINUTE, NOON } from './inputs.ts';

const IN_FLIGHT = { key: { tier: 'routine', numCtx: 8192 }, jobId: 7, title: 'Sum up' } as const;
const blocked = (input: Parameters<typeof admittance>[0]) => [...admittance(input).blockedTiers];

describe('one model in flight', () => {
  it('G2 only its tier and the pinned one are left while a model-using job is out', () => {
    expect(blocked(inputWith({}, { inFlight: IN_FLIGHT }))).toEqual(['synthesis', 'stretch']);
    expect(blocked(inputWith())).toEqual([]);
  });

  it('G2 within the tier only the same load key may start; pinned work always may', () => {
    const input = inputWith({}, { inFlight: IN_FLIGHT });
    const gate = admittance(input).verdicts.find(({ id }) => id === 'model');
    if (!gate) throw new Error('no such gate');
    const held = (tier: (typeof TIERS)[number], numCtx: number) =>
      holds(gate, job({ tier, numCtx }), input.inFlight);
    expect(held('routine', 8192)).toBe(false);
    expect(held('routine', 16_384)).toBe(true);
    expect(held('synthesis', 8192)).toBe(true);
    expect(held('pinned', 512)).toBe(false);
    expect(gate.reason).toBe('One model at a time: "Sum up" is using it.');
  });
});

describe('the pause', () => {
  const pauses = (all: number | null | undefined, heavy: number | null | undefined) => ({
    pauses: {
      all: all === undefined ? null : { until: all },
      heavy: heavy === undefined ? null : { until: heavy },
    },
  });

  it('G4 all stops every tier and heavy the heavy ones; all decides over heavy', () => {
    expect(blocked(inputWith({}, pauses(null, undefined)))).toEqual([...TIERS]);
    expect(blocked(inputWith({}, pauses(undefined, null)))).toEqual(['synthesis', 'stretch']);
    expect(blocked(inputWith({}, pauses(null, null)))).toEqual([...TIERS]);
    expect(admittance(inputWith({}, pauses(null, undefined))).halted).toBe(true);
    expect(admittance(inputWith({}, pauses(undefined, null))).halted).toBe(false);
  });

  it('G4 a timed pause names its end, and is over when its time has come', () => {
    const until = NOON + 150 * MINUTE;
    expect(pauseGate(inputWith({}, pauses(until, undefined)))).toMatchObject({
      code: 'paused',
      reason: 'Everything is paused until 14:30.',
      changesAt: until,
    });
    expect(pauseGate(inputWith({}, pauses(undefined, until + 1440 * MINUTE)))).toMatchObject({
      code: 'heavy-paused',
      reason: 'Heavy work is paused until 14:30 tomorrow.',
      waivedBy: 'heavyPause',
    });
    expect(pauseGate(inputWith({}, pauses(NOON, NOON - 1))).open).toBe(true);
    expect(pauseGate(inputWith({}, pauses(null, undefined)))).toMatchObject({
      reason: 'Everything is paused until you resume.',
      changesAt: null,
      waivedBy: null,
    });
  });
});

describe('the next change', () => {
  it('S2 is the earliest moment at which the clock alone can change a verdict', () => {
    const until = NOON + 2 * MINUTE;
    const input = inputWith(
      { idleSeconds: 42 },
      { pauses: { all: null, heavy: { until } }, override: null },
    );
    expect(nextChange(admittance(input).verdicts)).toBe(until);
    const present = admittance(inputWith({ idleSeconds: 42 })).verdicts;
    expect(nextChange(present)).toBe(NOON + 258_000);
    expect(nextChange(admittance(inputWith({ onBattery: true })).verdicts)).toBeNull();
  });

  it('S2 at that moment, with nothing else changed, the verdict has changed', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 299.999, noNaN: true }), (idleSeconds) => {
        const at = nextChange(admittance(inputWith({ idleSeconds })).verdicts);
        if (at === null) throw new Error('nothing to wait for');
        const later = inputWith({ idleSeconds: idleSeconds + (at - NOON) / 1000 }, { now: at });
        // Adding seconds to seconds may lose the last bit; a millisecond is more than that.
        later.facts.idleSeconds = (later.facts.idleSeconds ?? 0) + 1e-9;
        expect(admittance(later).blockedTiers.size).toBe(0);
      }),
    );
  });
});

describe('waivers', () => {
  it('D5 run now passes presence, heavy pause and battery by name, and nothing else', () => {
    const waiver = { presence: true, hours: true, heavyPause: true, battery: true, at: NOON };
    const heldBy = (input: Parameters<typeof admittance>[0], given: typeof waiver | null) =>
      admittance(input)
        .verdicts.filter((verdict) => holds(verdict, job({ waiver: given }), input.inFlight))
        .map(({ code }) => code);
    const waivable = inputWith(
      { idleSeconds: 1, onBattery: true },
      { pauses: { all: null, heavy: { until: null } } },
    );
    expect(heldBy(waivable, null)).toEqual(['heavy-paused', 'battery', 'active']);
    expect(heldBy(waivable, waiver)).toEqual([]);
    expect(heldBy(waivable, { ...waiver, battery: false })).toEqual(['battery']);
    expect(heldBy(inputWith({ onBattery: true, percent: 9 }), waiver)).toEqual(['floor']);
    expect(heldBy(inputWith({ thermal: 'critical' }), waiver)).toEqual(['thermal']);
    expect(heldBy(inputWith({ pressure: 'critical' }), waiver)).toEqual(['critical']);
    const out = inputWith({}, { inFlight: IN_FLIGHT });
    expect(heldBy(out, waiver)).toEqual(['in-flight']);
    const paused = inputWith({}, { pauses: { all: { until: null }, heavy: null } });
    expect(heldBy(paused, waiver)).toEqual(['paused']);
  });
});

describe('all gates together', () => {
  const maybe = <T>(...values: T[]) => fc.constantFrom(null, ...values);
  const facts = fc.record({
    idleSeconds: maybe(0, 42, 299, 300, 1e6),
    onBattery: maybe(true, false),
    percent: maybe(0, 20, 21, 100),
    charging: maybe(true, false),
    draining: maybe(true, false),
    powerSource: maybe('mains', 'battery', 'ups', 'none'),
    locked: maybe(true, false),
    displayAsleep: maybe(true, false),
    displayAssertion: maybe(true, false),
    micInUse: maybe(true, false),
    remote: maybe(true, false),
    lowPower: maybe(true, false),
    thermal: maybe('nominal', 'fair', 'serious', 'critical'),
    pressure: maybe('normal', 'warn', 'critical'),
    memAvailableGb: maybe(0, 16),
  });

  it('G6 the same facts have the same words, always, and each verdict is one plain sentence', () => {
    fc.assert(
      fc.property(facts, (some) => {
        const input = inputWith(factsSchema.parse(some));
        const first = admittance(input);
        expect(admittance(structuredClone(input))).toEqual(first);
        for (const verdict of first.verdicts) {
          expect(verdict.reason).toMatch(/^[A-Z][^\n]*\.$/);
          expect(verdict.reason).not.toMatch(/null|undefined|NaN/);
          expect(verdict.open).toBe(verdict.blocks === 'none');
          expect(verdict.waitsFor === null).toBe(verdict.open);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('G3 G4 light work is held by the floor and the full pause only', () => {
    fc.assert(
      fc.property(facts, fc.constantFrom(null, { until: null }), (some, all) => {
        const input = inputWith(factsSchema.parse(some), { pauses: { all, heavy: null } });
        const { verdicts, halted, blockedTiers } = admittance(input);
        const floor = verdicts.some(({ code }) => code === 'floor');
        expect(halted).toBe(floor || all !== null);
        expect(blockedTiers.has('routine')).toBe(halted);
        expect(blockedTiers.has('pinned')).toBe(halted);
      }),
      { numRuns: 500 },
    );
  });
});
