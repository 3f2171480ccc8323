import { expect, it } from 'vitest';
import { flipOne, makeTemplates, random } from './flips.ts';

// Eight here; `npm run damage` changes two hundred, and prints the share that was noticed.
it('D13 S5 one changed bit, anywhere: no crash, no wrong edge of a job', {
  timeout: 120_000,
}, async () => {
  const templates = await makeTemplates();
  try {
    const draw = random(3);
    for (let n = 0; n < 8; n++) {
      expect(await flipOne(templates, draw)).toMatchObject({ faults: [] });
    }
  } finally {
    templates.remove();
  }
});
