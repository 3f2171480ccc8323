import { expect, it } from 'vitest';
import { systemClock } from '../../../main/base/clock.ts';
import { configSchema } from '../../../main/base/config-schema.ts';
import { FACTS, factsSchema } from '../../../main/engine/gates/facts.ts';
import { machineFacts } from '../../../main/engine/gates/machine-facts.ts';
import type { MachineReadings } from '../../../native/index.ts';
import { FakeClock } from '../../support/fake-clock.ts';

it('D9 the machine that runs this test gives valid facts, and doctor has a line for each', () => {
  const source = machineFacts(systemClock(), () => configSchema.parse({}));
  const facts = source.read();
  expect(factsSchema.parse(facts)).toEqual(facts);
  const report = source.doctor();
  expect(report.map(({ fact }) => fact)).toEqual([...FACTS]);
  for (const { fact, source, value, reason } of report) {
    expect(source, fact).not.toBe('');
    expect((value === null) !== (reason === null), fact).toBe(true);
  }
  source.watch(() => {})();
});

it('D9 a failed reading is an unknown fact, with its reason in doctor', () => {
  const clock = new FakeClock();
  const asked: number[] = [];
  const looked: (readonly string[])[] = [];
  const config = configSchema.parse({
    exclusiveApps: ['Blender'],
    presence: { keepAwakeApps: ['x'] },
  });
  const readMachine = (now: number, keepAwakeApps: readonly string[]): MachineReadings => {
    expect(keepAwakeApps).toEqual(['x']);
    asked.push(now);
    const failed = { ok: false, reason: 'no bus', source: 'logind' } as const;
    const all = Object.fromEntries(FACTS.map((fact) => [fact, failed]));
    return {
      ...(all as unknown as MachineReadings),
      idleSeconds: { ok: true, value: 42.123456, source: 'X11' },
    };
  };
  const source = machineFacts(clock, () => config, {
    readMachine,
    runningOf(names) {
      looked.push(names);
      return { ok: true, value: 'Blender', source: '/proc' };
    },
  });
  expect(source.read()).toMatchObject({
    idleSeconds: 42.123456,
    locked: null,
    exclusiveApp: 'Blender',
  });
  expect(looked).toEqual([['Blender']]);
  expect(source.doctor()).toContainEqual({
    fact: 'idleSeconds',
    source: 'X11',
    value: '42.12',
    reason: null,
  });
  expect(source.doctor()).toContainEqual({
    fact: 'locked',
    source: 'logind',
    value: null,
    reason: 'no bus',
  });
  expect(asked[0]).toBe(clock.now());
});

it('G1 D9 one idle reading that fails is bridged, and doctor shows it as it is', async () => {
  const clock = new FakeClock();
  const failed = { ok: false, reason: 'it does not answer', source: 'X11' } as const;
  const all = Object.fromEntries(FACTS.map((fact) => [fact, failed])) as unknown as MachineReadings;
  let idleSeconds: MachineReadings['idleSeconds'] = { ok: true, value: 900, source: 'X11' };
  const source = machineFacts(clock, () => configSchema.parse({}), {
    readMachine: () => ({ ...all, idleSeconds }),
    runningOf: () => failed,
  });
  expect(source.read().idleSeconds).toBe(900);
  idleSeconds = failed;
  await clock.advance(2_000);
  expect(source.read()).toMatchObject({ idleSeconds: 902, locked: null });
  expect(source.doctor()[0]).toMatchObject({ fact: 'idleSeconds', value: null });
  await clock.advance(9_000);
  expect(source.read().idleSeconds).toBeNull();
});
