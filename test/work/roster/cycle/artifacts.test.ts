import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { missingArtifacts } from '../../../../main/work/roster/cycle/artifacts.ts';
import { temporaryFolder } from '../../../support/store.ts';

const START = Date.parse('2026-02-20T07:00:00Z');
const RUN = { agent: 'docs-agent', cadence: 'daily', startedAt: START };
const HEAD = 'agent: docs-agent\ncadence: daily\nsession: s1\n';

const WHOLE: Record<string, string> = {
  'src/context/CONTEXT_1.md': `${HEAD}## Goal\nx\n## Scope\nx\n## Constraints\nx\n`,
  'src/todo/TODO_1.md': `${HEAD}## Pending tasks\n\n- write\n`,
  'src/decisions/DECISIONS_1.md': `${HEAD}**Decision:** a\n**Rationale:** b\n`,
  'src/test_logs/TEST_LOG_1.md': `${HEAD}- **Command**: npm test\n- **Result**: ok\n`,
};

/** What is missing where these files stand, written a second after the run began. */
function missing(changes: Record<string, string | null>, writtenAt = START + 1000): string[] {
  const root = temporaryFolder();
  for (const [path, text] of Object.entries({ ...WHOLE, ...changes })) {
    if (text === null) continue;
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
    utimesSync(join(root, path), writtenAt / 1000, writtenAt / 1000);
  }
  return missingArtifacts(root, RUN);
}

describe('the artifacts of a run', () => {
  it('T4 are whole', () => {
    expect(missing({})).toEqual([]);
    expect(missing({}, START)).toEqual([]);
  });

  it('T4 of before the run do not count', () => {
    expect(missing({}, START - 1000)).toEqual([
      'src/context/CONTEXT_<time>.md is missing',
      'src/todo/TODO_<time>.md is missing',
      'src/decisions/DECISIONS_<time>.md is missing',
      'src/test_logs/TEST_LOG_<time>.md is missing',
    ]);
  });

  it.each([
    ['src/context/CONTEXT_1.md', 'goal, scope', 'tell goal, scope and constraints'],
    ['src/todo/TODO_1.md', '- write\npending', 'what is pending or completed, as a list'],
    ['src/decisions/DECISIONS_1.md', 'Decision: x', 'tell a decision and its rationale'],
    ['src/test_logs/TEST_LOG_1.md', 'command: x\nresults fine', '"command:" and a "result:" line'],
  ])('T4 %s must tell its part', (path, text, demand) => {
    const found = missing({ [path]: `${HEAD}${text}\n` });
    expect(found).toEqual([expect.stringContaining(demand)]);
  });

  it('T4 a kind is not needed where a file of this run says so', () => {
    const path = 'src/todo/TODO_1.md';
    expect(missing({ [path]: null, 'src/todo/note.md': 'Todo: NOT NEEDED this time' })).toEqual([]);
    expect(missing({ [path]: null, 'src/todo/note.md': 'not yet' })).toHaveLength(1);
  });

  it.each([
    ['cadence: daily\nsession: 1\n', 'no "agent:" line'],
    ['agent: docs-agent\nsession: 1\n', 'no "cadence:" line'],
    ['agent: docs-agent\ncadence: weekly\nsession: 1\n', 'its cadence is "weekly"'],
    ['agent: docs-agent\ncadence: daily\n', 'no "session:" or "run-start:" line'],
  ])('T4 each says whose it is: %j', (head, fault) => {
    const text = `${head}Decision, rationale\n`;
    expect(missing({ 'src/decisions/DECISIONS_1.md': text })).toEqual([
      `src/decisions/DECISIONS_1.md: ${fault}`,
    ]);
  });

  it('T4 the start of the run may stand for the session', () => {
    const head = '- **Agent:** docs-agent\n- Cadence: `daily`\n* run-start: 2026-02-20\n';
    expect(missing({ 'src/decisions/DECISIONS_1.md': `${head}Decision, rationale` })).toEqual([]);
  });

  it("T4 another agent's files are another run's: they neither help nor harm", () => {
    const other = 'agent: ci-agent\nnot needed\n';
    expect(missing({ 'src/todo/TODO_2.md': other })).toEqual([]);
    expect(missing({ 'src/todo/TODO_1.md': null, 'src/todo/TODO_2.md': other })).toEqual([
      'src/todo/TODO_<time>.md is missing',
    ]);
  });
});
