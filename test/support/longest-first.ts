import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Where the test files that take longest are, the longest first: begun last, one of them would run on
 * alone when all others are done. Read off the seconds that `npm test` prints.
 */
const LONGEST = [
  'test/simulation/',
  'test/kills/',
  'test/app/panel.test.ts',
  'test/app/tray.test.ts',
  'test/work/roster/fleet/',
  'test/flow/processes.test.ts',
  'test/panel/',
  'test/flow/',
  'test/damage/',
  'test/surfaces/cli/',
  'test/work/roster/',
  'test/engine/workers/',
  'test/app/',
];

/** Runs the longest files first, and the others in vitest's own order. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = (file: TestSpecification) => {
      const place = LONGEST.findIndex((part) => file.moduleId.includes(`/${part}`));
      return place < 0 ? LONGEST.length : place;
    };
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}
