import { describe, expect, it } from 'vitest';
import type { Facts } from '../../../main/engine/gates/facts.ts';
import { nextLull, statusLine } from '../../../main/engine/gates/status-line.ts';
import { inputWith, lookAt, MINUTE, NOON, NOTHING_KNOWN } from './inputs.ts';

const NONE = { heavy: 0, light: 0, deferred: 0 };
const THREE = { ...NONE, heavy: 3 };
const LATER = NOON + 150 * MINUTE;

type Rest = Parameters<typeof inputWith>[1];

function say(
  facts: Partial<Facts> = {},
  { waiting = THREE, running = [] as string[], ...rest }: Rest & Record<string, unknown> = {},
) {
  return statusLine({
    look: lookAt(inputWith(facts, rest as Rest)),
    waiting: waiting as typeof THREE,
    running: running as string[],
  });
}

describe('the one line', () => {
  it.each<[string, Partial<Facts>, Rest & Record<string, unknown>]>([
    ['Waiting for you to step away', { idleSeconds: 42 }, {}],
    ['Waiting for your call to end', { micInUse: true }, {}],
    ['Waiting for the film or presentation to end', { displayAssertion: true }, {}],
    ['Waiting for a sign that you are away', { idleSeconds: null }, {}],
    ['On battery: 3 heavy jobs wait for mains', { onBattery: true }, {}],
    [
      'On battery: 1 heavy job waits for mains',
      { onBattery: true },
      { waiting: { ...NONE, heavy: 1 } },
    ],
    ['On UPS battery: 3 heavy jobs wait for mains', { powerSource: 'ups', draining: true }, {}],
    ['Waiting for the battery to stop losing charge', { draining: true }, {}],
    [
      'Power unknown: 3 heavy jobs wait for a sign of mains',
      { ...NOTHING_KNOWN, idleSeconds: 900 },
      {},
    ],
    ['Waiting for Low Power Mode to end', { lowPower: true }, {}],
    ['Waiting for the machine to cool down', { thermal: 'critical' }, {}],
    ['Waiting for memory to be free', { pressure: 'critical' }, {}],
    ['Waiting for Blender to end', { exclusiveApp: 'Blender' }, {}],
    [
      'Waiting for your hours for heavy work',
      {},
      { config: { hours: { heavy: [{ from: '22:00', to: '07:00' }] } } },
    ],
    ['Battery at 18 %: nothing starts at 20 % or less', { onBattery: true, percent: 18 }, {}],
    ['Paused until 14:30', {}, { pauses: { all: { until: LATER }, heavy: null } }],
    ['Paused until you resume', {}, { pauses: { all: { until: null }, heavy: null } }],
    ['Heavy work paused until 14:30', {}, { pauses: { all: null, heavy: { until: LATER } } }],
    [
      'Heavy work paused until you resume',
      {},
      { waiting: NONE, pauses: { all: null, heavy: { until: null } } },
    ],
    ['Running: Sum up the week', { idleSeconds: 1 }, { running: ['Sum up the week'] }],
    ['Running: Sum up, and 1 more', {}, { running: ['Sum up', 'Reply'] }],
    ['Starting the next job', {}, {}],
    ['Starting the next job', { idleSeconds: 1 }, { waiting: { ...NONE, light: 1 } }],
    ['2 jobs put off for now', {}, { waiting: { ...NONE, deferred: 2 } }],
    ['Idle', { idleSeconds: 1 }, { waiting: NONE }],
    ['Idle', { onBattery: true }, { waiting: NONE }],
  ])('G6 D1 says "%s"', (line, facts, rest) => {
    expect(say(facts, rest).line).toBe(line);
  });

  it.each<[string, Partial<Facts>, Rest & Record<string, unknown>]>([
    ['3 heavy jobs · idle 0:42 of 5:00 · on mains, 87 %', { idleSeconds: 42 }, {}],
    ['nothing waits · idle 15:00, past 5:00 · on mains, 87 %', {}, { waiting: NONE }],
    [
      '1 heavy job, 2 light jobs, 1 put off · screen locked · on battery, 87 %',
      { locked: true, onBattery: true },
      { waiting: { heavy: 1, light: 2, deferred: 1 } },
    ],
    ['3 heavy jobs · idle time unknown · power unknown', NOTHING_KNOWN, {}],
    [
      '3 heavy jobs · awake 0:20 of 5:00 · on mains, no battery',
      { powerSource: 'none' },
      { awakeSeconds: 20 },
    ],
    [
      '3 heavy jobs · microphone in use · plugged in but losing charge, 63 % · Low Power Mode · heat serious · memory nearly used up',
      {
        micInUse: true,
        draining: true,
        percent: 63,
        lowPower: true,
        thermal: 'serious',
        pressure: 'critical',
      },
      {},
    ],
  ])('G6 shows the facts that decide: %s', (detail, facts, rest) => {
    expect(say(facts, rest).detail).toBe(detail);
  });

  it('G6 every code of the presence gate has its words', () => {
    for (const facts of [
      { displayAsleep: true },
      { displayAssertion: true },
      { locked: true },
      { micInUse: true },
    ]) {
      expect(say(facts).detail).toMatch(/^3 heavy jobs · [a-z]+ [a-z ]+ · on mains/);
    }
    const word = (present: boolean) => ({ override: { present, until: null } });
    expect(say({}, word(true)).detail).toContain('here, by your word');
    expect(say({}, word(false)).detail).toContain('away, by your word');
    const unattended = { config: { presence: { unattended: true } } };
    expect(say({ idleSeconds: null }, unattended).detail).toContain('· unattended ·');
    const remote = { config: { presence: { remoteSessions: true } } };
    expect(say({ remote: true }, remote).detail).toContain('· remote session ·');
  });
});

describe('the next lull', () => {
  it('G6 is forecast where the clock can tell, and null while heavy work may run', () => {
    expect(nextLull(lookAt(inputWith({ idleSeconds: 42 })))).toBe(
      'Next lull: earliest in 4 min 18 s, if you stay away; no history yet of when you leave',
    );
    expect(nextLull(lookAt(inputWith()))).toBeNull();
    expect(nextLull(lookAt(inputWith({ onBattery: true })))).toBe('Next lull: no history yet');
    expect(nextLull(lookAt(inputWith({ pressure: 'critical' })))).toBeNull();
  });

  it('G6 says what is usual where the record of past days can tell', () => {
    const at = NOON + 640 * MINUTE;
    const usual = { kind: 'usual', at, spreadMs: 25 * MINUTE } as const;
    expect(nextLull(lookAt(inputWith({ micInUse: true }), usual))).toBe(
      'Next lull: usually from 22:40, ± 25 min',
    );
    expect(nextLull(lookAt(inputWith({ idleSeconds: 42 }), usual))).toBe(
      'Next lull: usually from 22:40, ± 25 min; earliest in 4 min 18 s, if you stay away',
    );
    const soon = { ...usual, at: NOON + 10 * MINUTE };
    expect(nextLull(lookAt(inputWith({ onBattery: true }), soon))).toBe(
      'Next lull: usually about now, ± 25 min',
    );
    expect(nextLull(lookAt(inputWith({ thermal: 'critical' }), usual))).toBeNull();
    expect(nextLull(lookAt(inputWith({ micInUse: true }), { kind: 'no-habit' }))).toBeNull();
  });
});
