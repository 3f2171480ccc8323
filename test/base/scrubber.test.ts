import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createScrubber } from '../../main/base/scrubber.ts';

describe('the scrubber', () => {
  it('S7 takes a known secret out in every form it is repeated in', () => {
    const key = 'sk-a"b\\c/ü=+';
    const { add, scrub } = createScrubber();
    expect(scrub(key)).toBe(key);
    add('lab', key);
    for (const said of [
      `Incorrect API key provided: ${key}.`,
      JSON.stringify({ error: key }),
      JSON.stringify({ error: JSON.stringify({ message: key }) }),
      `https://lab/?key=${encodeURIComponent(key)}&x=1`,
      `Basic ${Buffer.from(key).toString('base64')}`,
    ]) {
      expect(scrub(said)).toContain('[secret lab]');
      expect(scrub(said)).not.toMatch(/sk-a|c2stYS/);
    }
    expect(scrub('nothing of the kind')).toBe('nothing of the kind');
  });

  it('S7 of two secrets, one inside the other, neither is left', () => {
    const { add, scrub } = createScrubber();
    add('short', 'abcdefgh');
    add('long', 'abcdefgh-ijkl');
    expect(scrub('abcdefgh-ijkl and abcdefgh')).toBe('[secret long] and [secret short]');
  });

  it('S7 no text keeps a secret, whatever stands around it', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 8 }), fc.string(), fc.string(), (key, before, after) => {
        const { add, scrub } = createScrubber();
        add('k', key);
        const rest = scrub(before + key + after);
        return rest
          .replaceAll('[secret k]', '\n')
          .split('\n')
          .every((part) => !part.includes(key));
      }),
    );
  });
});
