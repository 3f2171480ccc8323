import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { darwinMachine } from '../../../native/darwin/machine.ts';
import type { MachineReadings } from '../../../native/machine.ts';
import { besideAStart } from '../../support/beside-a-start.ts';
import { NO_FRAMEWORKS } from '../../support/frameworks/frameworks.ts';
import { BATTERY, LAPTOP, LAPTOP_READINGS, mac, NOW, type Stage, useFrameworks } from './mac.ts';

const ONE_LINE = /^\S[^\n]*\S$/;

/** The facts that are unknown, each with its reason. */
function reasons(readings: MachineReadings): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [fact, reading] of Object.entries(readings)) {
    if (!reading.ok) found[fact] = reading.reason;
  }
  return found;
}

describe.skipIf(NO_FRAMEWORKS)(`a Mac${NO_FRAMEWORKS ? ` (${NO_FRAMEWORKS})` : ''}`, () => {
  const { frameworks } = useFrameworks();

  it('D9 G5 tells every fact', () => {
    expect(mac().read()).toEqual(LAPTOP_READINGS);
  });

  it('D9 tells the same again, and after its connections were given back', () => {
    const { machine, read } = mac();
    expect(read()).toEqual(LAPTOP_READINGS);
    expect(read()).toEqual(LAPTOP_READINGS);
    machine.close();
    expect(read()).toEqual(LAPTOP_READINGS);
  });

  it('D9 gives back all but the names of its questions, however often it reads', () => {
    const { machine, read, controls } = mac();
    read();
    const names = controls.outstanding();
    expect(names).toBeGreaterThan(10);
    for (let i = 0; i < 500; i++) read();
    expect(controls.outstanding()).toBe(names);
    machine.close();
    expect(controls.outstanding()).toBe(0);
  });

  it.each([
    ['coreFoundation', /\/nowhere\/coreFoundation cannot be loaded/],
    ['ioKit', /\/nowhere\/ioKit cannot be loaded/],
    ['coreGraphics', /\/nowhere\/coreGraphics cannot be loaded/],
    ['coreAudio', /\/nowhere\/coreAudio cannot be loaded/],
    ['foundation', /\/nowhere\/foundation cannot be loaded/],
    ['objectiveC', /\/nowhere\/objectiveC cannot be loaded/],
    ['system', /\/nowhere\/system cannot be loaded/],
  ] as const)('D9 without %s says so where it matters, and tells the rest', (missing, reason) => {
    const power = ['powerSource', 'onBattery', 'percent', 'charging', 'draining'];
    const lost = {
      coreFoundation: [
        ...power,
        'locked',
        'displayAsleep',
        'displayAssertion',
        'remote',
        'idleSeconds',
      ],
      ioKit: [...power, 'displayAssertion'],
      coreGraphics: ['locked', 'displayAsleep', 'remote'],
      coreAudio: ['micInUse'],
      foundation: ['lowPower', 'thermal'],
      objectiveC: ['lowPower', 'thermal'],
      system: ['remote', 'pressure', 'memAvailableGb'],
    }[missing];
    const unknown = reasons(mac({}, { missing }).read());
    expect(Object.keys(unknown).sort()).toEqual([...lost].sort());
    for (const said of Object.values(unknown)) {
      expect(said).toMatch(reason);
      expect(said).toMatch(ONE_LINE);
    }
  });

  it('D9 without any one function of the frameworks names it where it matters, and tells the rest', () => {
    // So that each function has a say in some fact.
    const idleBattery = { ...BATTERY, 'Is Charging': false };
    const stage = { sessionIdleSeconds: 100, powerSources: [idleBattery] };
    const usual = mac(stage).read();
    // Those of programs and of the hold against sleep are no readings; each has tests of its own.
    const others = /^(proc_|IOPMAssertion(Create|Release))/;
    const listed = frameworks().names.filter((name) => !others.test(name));
    expect(listed.length).toBeGreaterThan(40);
    for (const name of listed) {
      const readings = mac(stage, { path: frameworks().without(name) }).read();
      const facts = Object.keys(usual) as (keyof MachineReadings)[];
      const lost = facts.filter((fact) => !isDeepStrictEqual(readings[fact], usual[fact]));
      expect(lost.length, name).toBeGreaterThan(0);
      expect(lost.length, name).toBeLessThan(11);
      if (name === 'CGEventSourceSecondsSinceLastEventType') {
        expect(readings.idleSeconds).toEqual(LAPTOP_READINGS.idleSeconds);
      } else {
        expect(Object.values(reasons(readings)).join('\n'), name).toContain(`.so has no ${name}`);
      }
    }
  });

  it('D9 opens nothing before it is asked, and on a machine that is no Mac says why, for every fact', () => {
    const nowhere = darwinMachine();
    if (process.platform === 'darwin') return;
    const unknown = reasons(nowhere.read(NOW));
    expect(Object.keys(unknown)).toEqual(Object.keys(LAPTOP_READINGS));
    for (const reason of Object.values(unknown)) expect(reason).toMatch(ONE_LINE);
    nowhere.close();
  });

  it('D9 reads all facts in less time than a program takes to start', () => {
    const { read } = mac();
    expect(besideAStart(() => read())).toBeLessThan(1);
  });

  it('D9 whatever the frameworks answer, it does not throw, misuses nothing and gives all back', () => {
    const { read, set, machine, controls } = mac();
    const odd = fc.oneof(
      {
        weight: 3,
        arbitrary: fc.constantFrom(true, false, 0, 1, -1, 255, 64_336, 0.5, '', 'AC Power'),
      },
      {
        weight: 1,
        arbitrary: fc.constantFrom(null, [], {}, { $data: '' }, [BATTERY], { 600: [{}] }),
      },
      { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<unknown> },
      { weight: 1, arbitrary: fc.maxSafeInteger() },
    );
    const spoilt = (values: Record<string, unknown>) =>
      fc
        .dictionary(fc.constantFrom(...Object.keys(values)), odd, { maxKeys: 2 })
        .map((changes) => ({ ...values, ...changes }));
    const audioObject = (names: string[]) =>
      fc.dictionary(
        fc.constantFrom(...names),
        fc.oneof(fc.nat(3), fc.array(fc.nat(3), { maxLength: 3 }), fc.constantFrom(false, null)),
      ) as fc.Arbitrary<Record<string, unknown>>;
    const audioProcess = fc
      .tuple(
        audioObject(['piri/glob', 'ppid/glob', 'pdv#/inpt', 'pbid/glob', 'gone/glob', 'stm#/inpt']),
        fc.constantFrom({}, { 'pbid/glob': '' }, { 'pbid/glob': 'a.b' }),
      )
      .map(([values, name]) => ({ ...values, ...name }));
    const assertion = {
      AssertType: 'NoDisplaySleepAssertion',
      AssertLevel: 255,
      'Process Name': 'x',
    };
    const stages: fc.Arbitrary<Stage> = fc.record({
      registry: fc.record({
        IOHIDSystem: spoilt(LAPTOP.registry.IOHIDSystem),
        AppleSmartBattery: spoilt(LAPTOP.registry.AppleSmartBattery),
      }),
      powerSources: fc.oneof(fc.array(spoilt(BATTERY), { maxLength: 2 }), odd),
      assertions: fc.oneof(
        fc.dictionary(fc.constantFrom('1', '2', 'x'), fc.oneof(fc.array(spoilt(assertion)), odd)),
        odd,
      ),
      assertionsResult: fc.constantFrom(0, -536_870_212),
      session: fc.oneof(
        spoilt({ kCGSSessionOnConsoleKey: true, CGSSessionScreenIsLocked: false }),
        odd,
      ),
      sessionIdleSeconds: fc.constantFrom(-1, 0, 400, 1e300),
      audio: fc.record({
        1: audioObject(['prs#/glob', 'dev#/glob']),
        2: audioProcess,
        3: audioProcess,
      }),
      memoryResult: fc.constantFrom(0, 5),
    });
    fc.assert(
      fc.property(stages, (stage) => {
        const before = controls.outstanding();
        set(stage);
        const readings = read();
        for (const reading of Object.values(readings)) {
          if (!reading.ok) expect(reading.reason).toMatch(/^\S.*$/s);
        }
        machine.close();
        expect(controls.misuse()).toBe('');
        expect(controls.outstanding()).toBe(before);
      }),
      { numRuns: 500 },
    );
  });
});

it('D9 declares no variadic function for a Mac: on arm64 their arguments would be lost', () => {
  const folder = join(import.meta.dirname, '../../../native/darwin');
  for (const file of readdirSync(folder)) {
    expect(readFileSync(join(folder, file), 'utf8'), file).not.toMatch(/['"]\.\.\.['"]/);
  }
});
