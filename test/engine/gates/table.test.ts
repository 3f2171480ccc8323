import { describe, expect, it } from 'vitest';
import { FACTS, factsSchema } from '../../../main/engine/gates/facts.ts';
import type { GateInput } from '../../../main/engine/gates/gate.ts';
import { admittance } from '../../../main/engine/gates/list.ts';
import { explainWaiting } from '../../../main/engine/gates/why.ts';
import { ALONE, FLIPPED, type Row } from './facts-table.ts';
import { inputWith, job, lookAt } from './inputs.ts';

function check(input: GateInput, { gate, code, sentence, light, heavy }: Row): void {
  const { verdicts, halted, blockedTiers } = admittance(input);
  expect(verdicts.find(({ id }) => id === gate)).toMatchObject({ code, reason: sentence });
  const starts = (tier: 'routine' | 'synthesis') =>
    !halted && !blockedTiers.has(tier) ? 'starts' : 'waits';
  expect([starts('routine'), starts('synthesis')]).toEqual([light, heavy]);
  expect([blockedTiers.has('pinned'), blockedTiers.has('stretch')]).toEqual([
    light === 'waits',
    heavy === 'waits',
  ]);

  const [lightJob, heavyJob] = [job({ tier: 'routine' }), job({ tier: 'synthesis' })];
  const [whyLight] = explainWaiting([lightJob], [], lookAt(input));
  const [whyHeavy] = explainWaiting([heavyJob], [], lookAt(input));
  expect(whyLight?.code === 'next').toBe(light === 'starts');
  expect(whyHeavy?.code === 'next').toBe(heavy === 'starts');
  if (heavy === 'waits') {
    expect(whyHeavy?.code).toBe(verdicts.find((verdict) => !verdict.open)?.code);
  }
}

describe('each fact, changed alone on a quiet night', () => {
  it.each(FLIPPED)('$id G6 $change: $gate says $code', (row) => {
    check(inputWith(row.facts), row);
  });

  it('G6 every fact that a gate reads has its row, and available memory changes nothing', () => {
    const flipped = new Set(FLIPPED.flatMap(({ facts }) => Object.keys(facts)));
    expect(FACTS.filter((fact) => !flipped.has(fact))).toEqual(['memAvailableGb']);
    const quiet = admittance(inputWith());
    expect(admittance(inputWith({ memAvailableGb: 0.1 }))).toEqual(quiet);
    expect(admittance(inputWith({ memAvailableGb: null }))).toEqual(quiet);
  });
});

describe('a machine that says nothing else', () => {
  it.each(ALONE)('$id G6 only $change: $gate says $code', (row) => {
    check(inputWith(factsSchema.parse(row.facts)), row);
  });
});
