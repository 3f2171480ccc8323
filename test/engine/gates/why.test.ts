import { describe, expect, it } from 'vitest';
import { expectedStart, explainWaiting, why } from '../../../main/engine/gates/why.ts';
import { inputWith, job, lookAt, MINUTE, NOON } from './inputs.ts';

const alone = { ahead: 0, sessionBusyWith: null, running: null };
const open = lookAt(inputWith());
const present = lookAt(inputWith({ idleSeconds: 42 }));

describe('why a job waits', () => {
  it('G6 the gate that holds it gives the reason, and the clock the forecast', () => {
    expect(why(job(), alone, present)).toEqual({
      code: 'active',
      reason: 'You are here: last input 0:42 ago, heavy work waits for 5:00.',
      forecast: 'earliest in 4 min 18 s, if you stay away',
    });
  });

  it('G6 the first gate names it, and the others are listed by what they wait for', () => {
    const look = lookAt(inputWith({ idleSeconds: 42, onBattery: true, pressure: 'critical' }));
    expect(why(job(), alone, look)).toEqual({
      code: 'battery',
      reason:
        'On battery (87 %): heavy work waits for mains. Also waits for memory to be free and you to step away.',
      forecast: 'not for another 4 min 18 s',
    });
  });

  it('G6 a pause is forecast by its end, and what may follow it is said', () => {
    const until = NOON + 150 * MINUTE;
    const pauses = { all: { until }, heavy: null };
    const paused = lookAt(inputWith({}, { pauses }));
    expect(why(job(), alone, paused)).toMatchObject({
      code: 'paused',
      forecast: 'earliest at 14:30, when the pause ends',
    });
    expect(why(job({ tier: 'pinned' }), alone, paused).code).toBe('paused');
    const both = lookAt(inputWith({ idleSeconds: 42 }, { pauses }));
    expect(why(job(), alone, both).forecast).toBe(
      'earliest at 14:30, when the pause ends, if you are away then',
    );
    const battery = lookAt(inputWith({ onBattery: true }, { pauses }));
    expect(why(job(), alone, battery).forecast).toBe('not before 14:30, when the pause ends');
  });

  it('G6 where only the owner’s habits could tell, it says that there is no history', () => {
    expect(why(job(), alone, lookAt(inputWith({ micInUse: true }))).forecast).toBe(
      'no history yet',
    );
    expect(why(job(), alone, lookAt(inputWith({ onBattery: true }))).forecast).toBe(
      'no history yet',
    );
    expect(why(job(), alone, lookAt(inputWith({ idleSeconds: null }))).forecast).toBeNull();
  });

  it('G6 the start is a moment only where past days or the clock alone name one', () => {
    const usual = { kind: 'usual', at: NOON + 640 * MINUTE, spreadMs: 25 * MINUTE } as const;
    const until = NOON + 150 * MINUTE;
    const pauses = { all: { until }, heavy: null };
    const start = (facts: object, rest = {}, one = job()) =>
      expectedStart(one, lookAt(inputWith(facts, rest), usual));
    expect(start({ idleSeconds: 42 })).toEqual({ at: usual.at, spreadMs: usual.spreadMs });
    expect(expectedStart(job(), present)).toBeNull(); // no history yet
    expect(start({}, { pauses })).toEqual({ at: until, spreadMs: 0 });
    expect(start({ idleSeconds: 42 }, { pauses })).toBeNull(); // the owner may stay
    expect(start({ pressure: 'critical' })).toBeNull();
    expect(start({})).toBeNull(); // nothing holds it
    const later = job({ state: 'deferred', notBefore: until, reviveAt: NOON + MINUTE });
    expect(start({}, {}, later)).toEqual({ at: until, spreadMs: 0 });
  });

  it('G6 past days are asked only where nothing else holds the job', () => {
    const usual = { kind: 'usual', at: NOON + 640 * MINUTE, spreadMs: 25 * MINUTE } as const;
    const said = (facts: object, rest = {}) =>
      why(job(), alone, lookAt(inputWith(facts, rest), usual)).forecast;
    expect(said({ micInUse: true, onBattery: true })).toBe('usually from 22:40, ± 25 min');
    expect(said({ micInUse: true, pressure: 'critical' })).toBeNull();
    const pauses = { all: null, heavy: { until: NOON + 150 * MINUTE } };
    expect(said({ micInUse: true }, { pauses })).toBe('not before 14:30, when the pause ends');
    const override = { present: true, until: NOON + 60 * MINUTE };
    expect(said({}, { override })).toBe('earliest at 13:00, when your word ends');
    expect(said({}, { override: { present: true, until: null } })).toBe(
      'usually from 22:40, ± 25 min',
    );
  });

  it('G5 G6 closed hours are forecast by their begin', () => {
    const config = { hours: { heavy: [{ from: '22:00', to: '07:00' }] } };
    expect(why(job(), alone, lookAt(inputWith({}, { config })))).toEqual({
      code: 'outside-hours',
      reason: 'Outside your hours for heavy work: they begin at 22:00.',
      forecast: 'earliest at 22:00, when your hours begin',
    });
    expect(why(job(), alone, lookAt(inputWith({ idleSeconds: 42 }, { config }))).forecast).toBe(
      'earliest at 22:00, when your hours begin, if you are away then',
    );
  });

  it('G6 a waived job is not held by what its waiver covers', () => {
    const waiver = { presence: true, hours: true, heavyPause: true, battery: false, at: NOON };
    expect(why(job({ waiver }), alone, present).code).toBe('next');
    const battery = lookAt(inputWith({ idleSeconds: 42, onBattery: true }));
    expect(why(job({ waiver }), alone, battery)).toMatchObject({
      code: 'battery',
      reason: 'On battery (87 %): heavy work waits for mains.',
    });
  });

  it('G6 with every gate open it is its place in the line', () => {
    expect(why(job(), alone, open)).toEqual({
      code: 'next',
      reason: 'Next in line.',
      forecast: null,
    });
    expect(why(job(), { ...alone, running: 'Sum up' }, open).reason).toBe(
      'Next in line, after "Sum up".',
    );
    expect(why(job(), { ...alone, ahead: 1 }, open)).toMatchObject({
      code: 'behind',
      reason: 'After 1 other.',
    });
    expect(why(job(), { ...alone, ahead: 3 }, open).reason).toBe('After 3 others.');
    expect(why(job(), { ...alone, sessionBusyWith: 'Count tubs' }, open)).toMatchObject({
      code: 'session-busy',
      reason: '"Count tubs" of the same session has to finish first.',
    });
  });

  it('G2 G6 while another model is in use, the next one says so', () => {
    const inFlight = {
      key: { tier: 'routine', numCtx: 8192 },
      jobId: 1,
      title: 'Sum up',
    } as const;
    const look = lookAt(inputWith({}, { inFlight }));
    const place = { ...alone, running: 'Sum up' };
    expect(why(job(), place, look)).toMatchObject({
      code: 'in-flight',
      reason: 'One model at a time: "Sum up" is using it. This one is next in line.',
    });
    expect(why(job({ tier: 'routine' }), place, look).code).toBe('next');
    expect(why(job(), { ...place, ahead: 2 }, look).code).toBe('behind');
  });

  it('G6 a deferred job gives its own reason, and when it is tried again', () => {
    const deferred = job({
      state: 'deferred',
      reasonCode: 'ceiling',
      reason: 'needs 17.0 GB, 9.2 GB are left',
      reviveAt: NOON + 5 * MINUTE,
    });
    expect(why(deferred, alone, present)).toEqual({
      code: 'ceiling',
      reason: 'needs 17.0 GB, 9.2 GB are left',
      forecast: 'tried again at 12:05',
    });
    expect(why({ ...deferred, reviveAt: null }, alone, present).forecast).toBeNull();
    expect(why({ ...deferred, reason: null, reasonCode: null }, alone, open)).toMatchObject({
      code: 'deferred',
      reason: 'Put off until conditions change.',
    });
  });

  it('P8 G6 not before its time, and missed after its end', () => {
    const later = job({ state: 'deferred', notBefore: NOON + 90 * MINUTE });
    expect(why(later, alone, present)).toEqual({
      code: 'not-before',
      reason: 'You asked for it not before 13:30.',
      forecast: 'earliest at 13:30',
    });
    const bound = job({ expiresAt: NOON + 120 * MINUTE });
    expect(why(bound, alone, present).forecast).toBe(
      'earliest in 4 min 18 s, if you stay away; missed if it has not started by 14:00',
    );
    expect(why(bound, alone, open).forecast).toBe('missed if it has not started by 14:00');
  });
});

describe('why all of them wait', () => {
  it('G6 only jobs that could start are ahead of others, and each lane has its own line', () => {
    const jobs = [
      job({ title: 'heavy one' }),
      job({ tier: 'routine', title: 'light one' }),
      job({ tier: 'routine', state: 'deferred', reason: 'x', title: 'put off' }),
      job({ tier: 'routine', session: 'shop', title: 'same session' }),
      job({ tier: 'pinned', title: 'pinned one' }),
      job({ tier: 'routine', title: 'light two' }),
      job({ tier: 'routine', title: 'light three' }),
    ];
    const running = [
      job({ state: 'running', tier: 'routine', session: 'shop', title: 'Count tubs' }),
    ];
    const said = explainWaiting(jobs, running, present);
    expect(said.map(({ code }) => code)).toEqual([
      'active',
      'next',
      'deferred',
      'session-busy',
      'next',
      'behind',
      'behind',
    ]);
    expect(said.map(({ reason }) => reason)).toEqual([
      'You are here: last input 0:42 ago, heavy work waits for 5:00.',
      'Next in line, after "Count tubs".',
      'x',
      '"Count tubs" of the same session has to finish first.',
      'Next in line.',
      'After 1 other.',
      'After 2 others.',
    ]);
    expect(said.map(({ job: id }) => id)).toEqual(jobs.map(({ id }) => id));
  });

  it('Q7 G6 ten waiting heavy jobs stand before no light one', () => {
    const jobs = [
      ...Array.from({ length: 10 }, () => job()),
      job({ tier: 'routine', title: 'light' }),
    ];
    expect(explainWaiting(jobs, [], present).at(-1)?.reason).toBe('Next in line.');
  });
});
