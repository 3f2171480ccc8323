import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chooseAgent } from '../../../../main/work/roster/cycle/choose.ts';

const rosters = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,3}$/), { minLength: 1, maxLength: 12 });

describe('whose turn it is', () => {
  it.each([
    ['nobody has run: the first', [], null, null, 'a'],
    ['nobody has run, with a first prompt', [], null, 'b', 'b'],
    ['a first prompt that is not in the roster', [], null, 'z', 'a'],
    ['after the previous one', [], 'a', 'c', 'b'],
    ['after the last one, round again', [], 'c', null, 'a'],
    ['the previous one has left the roster', [], 'z', 'b', 'b'],
    ['excluded are passed over', ['b'], 'a', null, 'c'],
    ['the previous one itself, when nobody else is left', ['b', 'c'], 'a', null, 'a'],
    ['all are excluded', ['a', 'b', 'c'], 'a', null, null],
  ])('T3 %s', (_, excluded, previous, first, chosen) => {
    expect(chooseAgent(['a', 'b', 'c'], new Set(excluded), previous, first)).toBe(chosen);
  });

  it('T3 is somebody who is not excluded, and the nearest after the previous one', () => {
    fc.assert(
      fc.property(rosters, fc.array(fc.nat(11)), fc.nat(11), (roster, out, before) => {
        const excluded = new Set(out.map((i) => roster[i % roster.length] as string));
        const previous = roster[before % roster.length] as string;
        const chosen = chooseAgent(roster, excluded, previous, null);
        expect(chosen === null).toBe(excluded.size === roster.length);
        if (chosen === null) return;
        expect(excluded.has(chosen)).toBe(false);
        const far = (agent: string) =>
          (roster.indexOf(agent) - roster.indexOf(previous) - 1 + roster.length) % roster.length;
        for (const agent of roster) {
          if (!excluded.has(agent)) expect(far(chosen)).toBeLessThanOrEqual(far(agent));
        }
      }),
    );
  });

  it('T3 comes round to everybody before anybody is asked twice', () => {
    fc.assert(
      fc.property(rosters, fc.option(fc.nat(11), { nil: null }), (roster, start) => {
        const ran: string[] = [];
        let previous = start === null ? null : (roster[start % roster.length] as string);
        for (let turn = 0; turn < roster.length; turn++) {
          previous = chooseAgent(roster, new Set(), previous, null) as string;
          ran.push(previous);
        }
        expect(new Set(ran).size).toBe(roster.length);
      }),
    );
  });
});
