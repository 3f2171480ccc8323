import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { decideDeferral } from '../../../../main/work/roster/cycle/defer.ts';
import {
  type Deferral,
  readRunState,
  writeRunState,
} from '../../../../main/work/roster/cycle/run-state.ts';
import { temporaryFolder } from '../../../support/store.ts';

const NOW = Date.parse('2026-02-20T23:59:00Z');
const NAME = '.scheduler-run-state.json';

const DEFERRAL: Deferral = {
  attempt_count: 2,
  first_failure_timestamp: '2026-02-20T23:30:00.000Z',
  backend_category: 'relay_query_timeout',
  idempotency_key: 'daily:a:2026-02-20:x',
  selected_agent: 'a',
};

describe('the run state', () => {
  it('T3 is written to the byte as existing repositories hold it, and nothing beside it', () => {
    const dir = temporaryFolder();
    writeRunState(dir, { run_date: '2026-02-20', lock_deferral: DEFERRAL });
    expect(readFileSync(join(dir, NAME), 'utf8')).toBe(`{
  "run_date": "2026-02-20",
  "lock_deferral": {
    "attempt_count": 2,
    "first_failure_timestamp": "2026-02-20T23:30:00.000Z",
    "backend_category": "relay_query_timeout",
    "idempotency_key": "daily:a:2026-02-20:x",
    "selected_agent": "a"
  }
}
`);
    expect(readdirSync(dir)).toEqual([NAME]);
    expect(readRunState(dir, NOW)).toEqual({ run_date: '2026-02-20', lock_deferral: DEFERRAL });
    writeRunState(dir, { run_date: '2026-02-20', lock_deferral: null });
    expect(readFileSync(join(dir, NAME), 'utf8')).toBe(
      '{\n  "run_date": "2026-02-20",\n  "lock_deferral": null\n}\n',
    );
  });

  it('T3 is of one UTC day: after midnight the count begins anew', () => {
    const dir = temporaryFolder();
    writeRunState(dir, { run_date: '2026-02-20', lock_deferral: DEFERRAL });
    expect(readRunState(dir, NOW + 60_000)).toEqual({
      run_date: '2026-02-21',
      lock_deferral: null,
    });
  });

  it.each([
    ['missing', null],
    ['no JSON', '{"run_date":'],
    ['of another form', '[]'],
    ['with a deferral of another form', '{"run_date":"2026-02-20","lock_deferral":"yes"}'],
    [
      'with a broken moment',
      JSON.stringify({
        run_date: '2026-02-20',
        lock_deferral: { ...DEFERRAL, first_failure_timestamp: 'yesterday' },
      }),
    ],
  ])('T3 that is %s is a fresh one', (_, text) => {
    const dir = temporaryFolder();
    if (text !== null) writeFileSync(join(dir, NAME), text);
    expect(readRunState(dir, NOW)).toEqual({ run_date: '2026-02-20', lock_deferral: null });
  });
});

describe('whether a run is put off', () => {
  const SETTINGS = { strictLock: false, degradedLockRetryWindowMs: 3_600_000, maxDeferrals: 3 };
  const decide = (more: object, before: Deferral | null = DEFERRAL, agent = 'a', now = NOW) =>
    decideDeferral({ ...SETTINGS, ...more }, before, agent, 'unknown_backend_error', 'new', now);

  it('T3 the first failure is counted from now, under a new key', () => {
    expect(decide({}, null)).toEqual({
      putOff: true,
      deferral: {
        attempt_count: 1,
        first_failure_timestamp: '2026-02-20T23:59:00.000Z',
        backend_category: 'unknown_backend_error',
        idempotency_key: 'new',
        selected_agent: 'a',
      },
    });
  });

  it('T3 a later one goes on counting, under the same key', () => {
    const { putOff, deferral } = decide({});
    expect(putOff).toBe(true);
    expect(deferral).toEqual({
      ...DEFERRAL,
      attempt_count: 3,
      backend_category: 'unknown_backend_error',
    });
  });

  it.each([
    ['strict', { strictLock: true }, NOW, false],
    ['the last that is allowed', { maxDeferrals: 3 }, NOW, true],
    ['one more than is allowed', { maxDeferrals: 2 }, NOW, false],
    ['at the end of the window', {}, Date.parse('2026-02-21T00:30:00Z'), true],
    ['after the window', {}, Date.parse('2026-02-21T00:30:00.001Z'), false],
  ])('T3 %s', (_, more, now, putOff) => {
    expect(decide(more, DEFERRAL, 'a', now).putOff).toBe(putOff);
  });

  it("T3 another agent's failures do not count", () => {
    expect(decide({ maxDeferrals: 1 }, DEFERRAL, 'b')).toMatchObject({
      putOff: true,
      deferral: { attempt_count: 1, selected_agent: 'b', idempotency_key: 'new' },
    });
  });
});
