import { expect, it, describe as room } from 'vitest';
import type { ModelFault } from '../../../main/engine/models/server.ts';
import { treatment } from '../../../main/engine/models/treatment.ts';

const KINDS: Record<ModelFault, string> = {
  unreachable: 'defer',
  denied: 'wait',
  busy: 'defer',
  loading: 'defer',
  out_of_memory: 'defer',
  aborted: 'defer',
  truncated: 'retry',
  malformed: 'retry',
  stalled: 'retry',
  server: 'retry',
  not_found: 'fail',
  unsupported: 'fail',
  context_too_long: 'fail',
};

room('A6 what a fault asks for', () => {
  it('A6 every fault has one treatment', () => {
    for (const [fault, kind] of Object.entries(KINDS)) {
      expect({ fault, kind: treatment(fault as ModelFault).kind }).toEqual({ fault, kind });
    }
  });

  it('A6 the wait doubles with each attempt and stops at fifteen minutes', () => {
    const waits = [1, 2, 3, 4, 50].map((attempt) => treatment('unreachable', attempt));
    expect(waits.map((one) => ('afterMs' in one ? one.afterMs / 1000 : null))).toEqual([
      30, 60, 120, 240, 900,
    ]);
    expect(treatment('aborted', 9)).toEqual({ kind: 'defer', afterMs: 0 });
  });
});
