import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  formatTaskLog,
  type TaskLog,
  writeTaskLog,
} from '../../../../main/work/roster/cycle/task-log.ts';
import { temporaryFolder } from '../../../support/store.ts';

const NOW = Date.parse('2026-02-20T07:00:00.123Z');

const COMPLETED: TaskLog = {
  cadence: 'daily',
  agent: 'docs-agent',
  status: 'completed',
  reason: 'Scheduler cycle completed successfully',
  detail: null,
  platform: 'claude',
  metadata: {},
};

describe('a task log', () => {
  it('T1 is written to the byte as existing repositories hold it', () => {
    expect(formatTaskLog(COMPLETED, NOW)).toBe(`---
cadence: daily
agent: docs-agent
status: completed
reason: 'Scheduler cycle completed successfully'
created_at: 2026-02-20T07:00:00.123Z
timestamp: 2026-02-20T07:00:00.123Z
platform: 'claude'
---
# Scheduler completed
- reason: Scheduler cycle completed successfully
`);
    const failed: TaskLog = {
      ...COMPLETED,
      status: 'failed',
      reason: 'Validation failed',
      detail: "npm run lint: it's\nbroken\u001b[31m",
      metadata: { failure_category: 'execution_error', attempts: 3, empty: '', none: null },
    };
    expect(formatTaskLog(failed, NOW)).toBe(`---
cadence: daily
agent: docs-agent
status: failed
reason: 'Validation failed'
detail: 'npm run lint: it''s broken[31m'
created_at: 2026-02-20T07:00:00.123Z
timestamp: 2026-02-20T07:00:00.123Z
platform: 'claude'
failure_category: 'execution_error'
attempts: '3'
---
# Scheduler failed
- reason: Validation failed
- detail: npm run lint: it's broken[31m
`);
  });

  it('T1 keeps one line for each key, whatever its texts hold', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.string({ unit: 'binary' }),
        (reason, detail) => {
          const text = formatTaskLog(
            { ...COMPLETED, reason, detail, metadata: { more: detail } },
            NOW,
          );
          const head = text.split('\n').slice(1, text.split('\n').indexOf('---', 1));
          for (const line of head) {
            expect(line).toMatch(/^[a-z_]+: ([^' ][^']*|'(?:[^']|'')*')$/);
          }
        },
      ),
    );
  });

  it('T1 never takes the place of another of the same second', () => {
    const dir = join(temporaryFolder(), 'task-logs', 'daily');
    const names = [1, 2, 3].map(() => basename(writeTaskLog(dir, COMPLETED, NOW)));
    expect(names).toEqual([
      '2026-02-20T07-00-00Z__docs-agent__completed.md',
      '2026-02-20T07-00-01Z__docs-agent__completed.md',
      '2026-02-20T07-00-02Z__docs-agent__completed.md',
    ]);
    expect(readdirSync(dir).sort()).toEqual(names);
    expect(readFileSync(join(dir, names[2] ?? ''), 'utf8')).toBe(formatTaskLog(COMPLETED, NOW));
  });
});
