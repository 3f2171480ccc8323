import { describe, expect, it } from 'vitest';
import type { Facts } from '../../../main/engine/gates/facts.ts';
import type { GateInput } from '../../../main/engine/gates/gate.ts';
import { presenceGate } from '../../../main/engine/gates/presence.ts';
import { inputWith, MINUTE, NOON } from './inputs.ts';

type Rest = Partial<Omit<GateInput, 'facts' | 'config'>> & { config?: unknown };

const ask = (facts: Partial<Facts> = {}, rest: Rest = {}) => presenceGate(inputWith(facts, rest));
const REMOTE_COUNTS = { presence: { remoteSessions: true } };

describe('the presence gate', () => {
  it('G1 asks its rules in order: each decides over everything that stands below it', () => {
    // From the last rule to the first, each added to all those before it.
    const ladder: Array<[code: string, facts: Partial<Facts>, rest: Rest]> = [
      ['active', { idleSeconds: 10 }, {}],
      ['display-off', { displayAsleep: true }, {}],
      ['display-kept-on', { displayAssertion: true }, {}],
      ['call', { micInUse: true }, {}],
      ['locked', { locked: true }, {}],
      ['remote', { remote: true }, { config: REMOTE_COUNTS }],
      ['said-away', {}, { override: { present: false, until: null } }],
    ];
    let facts: Partial<Facts> = {};
    let rest: Rest = {};
    for (const [code, change, more] of ladder) {
      facts = { ...facts, ...change };
      rest = { ...rest, ...more };
      expect(ask(facts, rest).code).toBe(code);
    }
  });

  it('G1 the owner’s word decides while it lasts, and not a moment longer', () => {
    const until = NOON + 30 * MINUTE;
    const here = ask({ locked: true }, { override: { present: true, until } });
    expect(here).toMatchObject({
      open: false,
      code: 'said-here',
      reason: 'You said that you are here until 12:30: heavy work waits.',
      changesAt: until,
    });
    const away = ask({ idleSeconds: 0 }, { override: { present: false, until } });
    expect(away).toMatchObject({ open: true, code: 'said-away', changesAt: until });
    expect(ask({}, { override: { present: true, until: NOON } }).code).toBe('idle');
    expect(ask({}, { override: { present: true, until: null } })).toMatchObject({
      reason: 'You said that you are here: heavy work waits.',
      changesAt: null,
    });
  });

  it('G1 just after a wake the owner counts as here unless the display is off', () => {
    const night = { idleSeconds: 30_000 };
    expect(ask(night, { awakeSeconds: 20 })).toMatchObject({
      open: false,
      code: 'just-woken',
      reason: 'The machine woke up 0:20 ago: heavy work waits for 5:00.',
      changesAt: NOON + 280_000,
    });
    expect(ask({ ...night, displayAsleep: null }, { awakeSeconds: 20 }).code).toBe('just-woken');
    expect(ask({ ...night, displayAsleep: true }, { awakeSeconds: 20 }).code).toBe('display-off');
    expect(ask({ ...night, locked: true }, { awakeSeconds: 20 }).code).toBe('locked');
    expect(ask(night, { awakeSeconds: 299.9 }).code).toBe('just-woken');
    expect(ask(night, { awakeSeconds: 300 }).code).toBe('idle');
    expect(ask({ idleSeconds: 5 }, { awakeSeconds: 20 }).changesAt).toBe(NOON + 295_000);
  });

  it('G5 a call, a film and a remote session count only where the settings say so', () => {
    expect(ask({ micInUse: true }, { config: { presence: { calls: false } } }).open).toBe(true);
    const noFilms = { presence: { displayAssertions: false } };
    expect(ask({ displayAssertion: true }, { config: noFilms }).open).toBe(true);
    expect(ask({ remote: true, locked: true }, { config: REMOTE_COUNTS })).toMatchObject({
      open: false,
      code: 'remote',
    });
    expect(ask({ remote: true }).open).toBe(true);
  });

  it('G1 the threshold is the configured one, and the sentence names it', () => {
    const config = { presence: { idleThresholdSeconds: 60 } };
    expect(ask({ idleSeconds: 59.5 }, { config })).toMatchObject({
      code: 'active',
      reason: 'You are here: last input 0:59 ago, heavy work waits for 1:00.',
      changesAt: NOON + 500,
    });
    expect(ask({ idleSeconds: 60 }, { config }).code).toBe('idle');
  });

  it('G1 unknown idle time counts as here, unless the machine is declared unattended', () => {
    expect(ask({ idleSeconds: null }).open).toBe(false);
    const config = { presence: { unattended: true } };
    expect(ask({ idleSeconds: null }, { config })).toMatchObject({
      open: true,
      code: 'unattended',
    });
    expect(ask({ idleSeconds: 3 }, { config }).code).toBe('active');
    expect(ask({ idleSeconds: null, micInUse: true }, { config }).code).toBe('call');
  });

  it('G1 a run-now waiver covers presence, whatever its cause', () => {
    for (const facts of [{ idleSeconds: 1 }, { idleSeconds: null }, { micInUse: true }]) {
      expect(ask(facts).waivedBy).toBe('presence');
    }
  });
});
