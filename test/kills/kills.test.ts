import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CLI } from '../support/built.ts';
import { killPlace } from './kill-place.ts';
import { PLACES } from './places.ts';
import { makeTemplate, remove } from './scenario.ts';

const tree = { root: join(import.meta.dirname, '..', '..'), cli: CLI };
let template: string;
beforeAll(() => {
  template = makeTemplate(tree);
});
afterAll(() => remove(template));

// Two kills a place, of the host or of a worker; `npm run kills` makes twenty, and shows that breaking the host is noticed.
describe('a host that is killed', () => {
  for (const name of Object.keys(PLACES)) {
    it(`Q6 S5 loses nothing and doubles nothing: ${name}`, { timeout: 180_000 }, async () => {
      const result = await killPlace({ tree, template, name, times: 2, seed: 11, atOnce: 2 });
      expect(result).toEqual({ times: 2, reached: 2, faults: [] });
    });
  }
});
