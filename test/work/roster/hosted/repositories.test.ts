import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../../main/base/clock.ts';
import { ok } from '../../../../main/base/errors.ts';
import { resolveHome } from '../../../../main/base/home.ts';
import type { RosterRepository, RosterSettings } from '../../../../main/base/roster-schema.ts';
import { planCycles, turnsOf } from '../../../../main/work/roster/hosted/plan.ts';
import { repositories } from '../../../../main/work/roster/hosted/repositories.ts';
import { good } from '../../../support/desk.ts';
import { committedSample, rosterOf } from '../../../support/roster-den.ts';
import { temporaryFolder } from '../../../support/store.ts';

const WISH = {
  ...{ cadences: { daily: null, weekly: null }, platform: null, model: null, prepare: null },
  consent: false,
};

function listOver(start: RosterSettings = rosterOf('/elsewhere')) {
  const kept = { roster: start };
  const list = repositories({
    config: () => kept,
    setConfig(changes) {
      const next = changes['roster.repositories'] as RosterRepository[];
      kept.roster = { ...kept.roster, repositories: next };
      return ok(null);
    },
    now: () => 77,
  });
  return { list, kept };
}

describe('the list of repositories', () => {
  it('T6 says what adding means, and stores nothing until the owner agrees', async () => {
    const { root } = committedSample();
    const { list, kept } = listOver();
    const asked = good(await list.add({ ...WISH, path: root }));
    expect(asked).toMatchObject({
      outcome: 'asks',
      path: root,
      roster: { daily: ['audit-agent', 'ci-agent', 'docs-agent'] },
    });
    expect(asked.says.join(' ')).toMatch(/can change files and reach the network.*no relay hears/);
    expect(kept.roster.repositories).toHaveLength(1);
    expect(good(await list.add({ ...WISH, path: root, consent: true })).outcome).toBe('added');
    expect(kept.roster.repositories.at(-1)).toMatchObject({
      path: root,
      consent: { at: 77, said: asked.says.join(' ') },
    });
    good(await list.add({ ...WISH, path: root, consent: true, model: 'opus' }));
    expect(kept.roster.repositories).toHaveLength(2);
    good(list.remove(root));
    expect(list.remove(root)).toMatchObject({ ok: false, code: 'not_found' });
  });

  it('T6 with relays, says by name who will see what', async () => {
    const { root } = committedSample();
    const relays = { lock: 'relays', relays: ['wss://one.example'] };
    const { list } = listOver(rosterOf('/elsewhere', {}, relays));
    expect(good(await list.add({ ...WISH, path: root })).says.at(-1)).toBe(
      'The lock is public: wss://one.example see the names of agents, when they ran, the platform, the model and the commit.',
    );
  });

  it('T6 refuses, in one line, what cannot be gone round', async () => {
    const { list } = listOver();
    const said = async (path: string, over: object = {}) => {
      const added = await list.add({ ...WISH, path, consent: true, ...over });
      return added.ok ? 'ok' : added.message;
    };
    const nobody = committedSample({}, { roster: { daily: [], weekly: [] } });
    const few = committedSample({}, { roster: { daily: ['ci-agent'], weekly: [] } });
    const rule = { kind: 'interval', everySeconds: 60, first: 0 } as const;
    expect(await said('/nowhere')).toBe('there is no such folder: /nowhere');
    expect(await said(temporaryFolder())).toMatch(/^no git repository/);
    expect(await said(nobody.root)).toBe(`the roster lists nobody: ${nobody.root}`);
    expect(await said(few.root, { cadences: { daily: null, weekly: rule } })).toBe(
      `the weekly roster lists nobody: ${few.root}`,
    );
    few.write('src/prompts/roster.json', '{');
    expect(await said(few.root)).toMatch(/roster\.json is not valid JSON/);
  });
});

describe('the plan', () => {
  it('T6 goes round after the last one, leaving out who is paused, locked or ran', async () => {
    const sample = committedSample({ paused: { daily: ['ci-agent'] } });
    const clock = systemClock();
    const stamp = new Date(clock.now() - 60_000).toISOString().slice(0, 19).replaceAll(':', '-');
    sample.write(`task-logs/daily/${stamp}Z__audit-agent__completed.md`, '---\n---\n');
    const ground = { home: resolveHome(temporaryFolder()), clock, env: { PATH: process.env.PATH } };
    const plan = good(
      await planCycles({ path: sample.root }, 'daily', rosterOf(sample.root), ground),
    );
    const row = (agent: string, turn: number | null, out: string | null) => ({
      ...{ agent, turn, out, lockedUntil: null },
    });
    expect(plan).toEqual({
      agents: [
        row('audit-agent', null, 'ran'),
        row('ci-agent', null, 'paused'),
        row('docs-agent', 1, null),
      ],
      lockFault: null,
    });
  });

  it('T6 counts turns round the roster', () => {
    const turns = turnsOf(['a', 'b', 'c', 'd'], new Set(['c']), 'b', null);
    expect([...turns]).toEqual([
      ['d', 1],
      ['a', 2],
      ['b', 3],
    ]);
    expect([...turnsOf(['a', 'b'], new Set(), null, 'b')]).toEqual([
      ['b', 1],
      ['a', 2],
    ]);
  });
});
