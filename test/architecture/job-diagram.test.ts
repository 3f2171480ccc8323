import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { JOB_EDGES } from '../../main/base/store/job-states.ts';

it('Q4 the diagram in docs/architecture.md shows exactly the edges of the closed table', () => {
  const text = readFileSync(join(import.meta.dirname, '../../docs/architecture.md'), 'utf8');
  const diagram = /stateDiagram-v2\n([\s\S]*?)```/.exec(text)?.[1] ?? '';
  const drawn = [...diagram.matchAll(/^ {2}(\S+) --> (\S+)$/gm)].map(
    ([, from, to]) => `${from} → ${to}`,
  );
  const table = JOB_EDGES.map(([from, to]) => `${from ?? '[*]'} → ${to}`);
  expect(drawn.sort()).toEqual(table.sort());
});
