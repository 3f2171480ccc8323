import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stampOf } from '../../../../main/work/roster/cycle/moments.ts';
import { createdAt, readPastRuns } from '../../../../main/work/roster/cycle/past-runs.ts';
import { temporaryFolder } from '../../../support/store.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = Date.parse('2026-02-20T12:00:00Z');
const ROSTER = ['audit-agent', 'ci-agent', 'docs-agent'];

/** A log as existing tools write it. */
function log(at: number | null): string {
  const moment = at === null ? [] : [`created_at: ${new Date(at).toISOString()}`];
  return [
    ...['---', 'cadence: daily', 'agent: x', 'status: failed', "reason: 'It''s over'", ...moment],
    ...["platform: 'codex'", '---', '# Scheduler failed', '- reason: x'],
  ].join('\n');
}

interface Written {
  agent: string;
  /** When its name says it was. */
  named: number;
  created?: number | null;
  status?: string;
}

function folder(logs: readonly Written[]): string {
  const dir = temporaryFolder();
  for (const { agent, named, created = named, status = 'completed' } of logs) {
    writeFileSync(join(dir, `${stampOf(named)}__${agent}__${status}.md`), log(created));
  }
  return dir;
}

const past = (logs: readonly Written[], windowMs = DAY) =>
  readPastRuns(folder(logs), ROSTER, NOW, windowMs);

describe('past runs', () => {
  it('T3 within the window keep an agent out, to the millisecond', () => {
    expect([...past([{ agent: 'ci-agent', named: NOW - DAY }]).recent]).toEqual(['ci-agent']);
    expect(past([{ agent: 'ci-agent', named: NOW - DAY, created: NOW - DAY - 1 }])).toEqual({
      recent: new Set(),
      previous: 'ci-agent',
    });
    expect([...past([{ agent: 'ci-agent', named: NOW - 6 * DAY }], 7 * DAY).recent]).toHaveLength(
      1,
    );
  });

  it('T3 that failed count, deferred ones do not', () => {
    const logs = [
      { agent: 'audit-agent', named: NOW - 2 * HOUR, status: 'failed' },
      { agent: 'ci-agent', named: NOW - HOUR, status: 'deferred' },
    ];
    expect(past(logs)).toEqual({ recent: new Set(['audit-agent']), previous: 'audit-agent' });
  });

  it('T3 are dated by created_at, and by the name where it says none', () => {
    const logs = [
      { agent: 'audit-agent', named: NOW - 3 * HOUR, created: NOW - HOUR },
      { agent: 'ci-agent', named: NOW - 2 * HOUR },
      { agent: 'docs-agent', named: NOW - 4 * HOUR, created: null },
    ];
    expect(past(logs).previous).toBe('audit-agent');
    expect(past(logs).recent).toEqual(new Set(ROSTER));
  });

  it('T3 what is no log of a run, or of no agent of the roster, does not count', () => {
    const dir = folder([
      { agent: 'audit-agent', named: NOW - 2 * HOUR },
      { agent: 'scheduler', named: NOW - HOUR, status: 'failed' },
      { agent: 'gone-agent', named: NOW - HOUR },
    ]);
    for (const name of [
      '.scheduler-run-state.json',
      '2026-02-20T11-00-00__ci-agent__completed.md',
      '2026-13-20T11-00-00Z__ci-agent__completed.md',
      '2026-02-20T11-00-00Z__ci_agent__completed.md',
      '2026-02-20T11-00-00Z__ci-agent__completed.txt',
      '2026-02-20T11-00-00Z__ci-agent__started.md',
    ]) {
      writeFileSync(join(dir, name), log(NOW - HOUR));
    }
    mkdirSync(join(dir, 'older'));
    expect(readPastRuns(dir, ROSTER, NOW, DAY)).toEqual({
      recent: new Set(['audit-agent']),
      previous: 'audit-agent',
    });
  });

  it('T3 are found as if every log had been read', () => {
    const logs = fc.array(
      fc.record({
        agent: fc.constantFrom(...ROSTER, 'other-agent'),
        named: fc.integer({ min: 0, max: 3 * DAY }).map((ago) => NOW - ago - (ago % 1000)),
        status: fc.constantFrom('completed', 'failed', 'deferred'),
      }),
      { maxLength: 30 },
    );
    fc.assert(
      fc.property(logs, (written) => {
        const runs = written.filter(
          ({ agent, status }) => status !== 'deferred' && ROSTER.includes(agent),
        );
        const { recent, previous } = past(written);
        const within = runs.filter(({ named }) => named >= NOW - DAY);
        expect(recent).toEqual(new Set(within.map(({ agent }) => agent)));
        const last = Math.max(...runs.map(({ named }) => named));
        const lastAgents = runs.filter(({ named }) => named === last).map(({ agent }) => agent);
        if (runs.length === 0) expect(previous).toBeNull();
        else expect(lastAgents).toContain(previous);
      }),
      { numRuns: 60 },
    );
  });
});

describe('the moment of a log', () => {
  it.each([
    ['bare', '---\ncreated_at: 2026-02-20T07:00:00.123Z\n---\n', '2026-02-20T07:00:00.123Z'],
    ['quoted', "---\ncreated_at: '2026-02-20T07:00:00Z'\n---\n", '2026-02-20T07:00:00.000Z'],
    [
      'with other line ends',
      '---\r\nCreated_At :  "2026-02-20"\r\n---',
      '2026-02-20T00:00:00.000Z',
    ],
    ['no date', '---\ncreated_at: soon\n---\n', null],
    ['outside the frontmatter', '---\nagent: a\n---\ncreated_at: 2026-02-20', null],
    ['no frontmatter', 'created_at: 2026-02-20', null],
    ['nothing', '', null],
  ])('T1 is read: %s', (_, text, moment) => {
    const at = createdAt(text);
    expect(at === null ? null : new Date(at).toISOString()).toBe(moment);
  });
});
