import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backendCategory } from '../../../../main/work/roster/cycle/backend-category.ts';
import { excerpt, redact } from '../../../../main/work/roster/cycle/excerpt.ts';

describe('an excerpt of what a lock printed', () => {
  it.each([
    ['GET failed, token=abc123, again', 'GET failed, token=[REDACTED], again'],
    ['OPENAI_API_KEY: "abc def" set', 'OPENAI_API_KEY: [REDACTED] set'],
    ['{"password":"hunter2","a":1}', '{"password":[REDACTED],"a":1}'],
    ['Authorization: Bearer abc.def-ghi', 'Authorization: [REDACTED] [REDACTED]'],
    ['bearer abcdefgh failed', 'bearer [REDACTED] failed'],
    ['wss://me:pass@relay.example/x', 'wss://me:[REDACTED]@relay.example/x'],
    ['key sk-ant-REDACTED rejected', 'key [REDACTED] rejected'],
    ['ghp_0123456789abcdefghij', '[REDACTED]'],
    [`nsec1${'q'.repeat(58)}`, '[REDACTED]'],
    ['-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY----- ok', '[REDACTED] ok'],
    ['the value itself: correct-horse!', 'the value itself: [REDACTED]'],
    ['a monkey, a tokenizer and 3 secrets', 'a monkey, a tokenizer and 3 secrets'],
  ])('T5 holds no secret: %s', (text, shown) => {
    expect(redact(text, { MY_DEPLOY_KEY: 'correct-horse!', OTHER_TOKEN: '1' })).toBe(shown);
  });

  it('T1 is one line of at most 600 characters and never empty', () => {
    expect(excerpt(' \n', {})).toBe('(empty)');
    expect(excerpt('a\n\n  b', {})).toBe('a b');
    expect(excerpt('x'.repeat(600), {})).toHaveLength(600);
    const long = excerpt('x'.repeat(601), {});
    expect(long).toHaveLength(600);
    expect(long.endsWith('x…')).toBe(true);
  });

  it('T5 a secret that begins before the cut is hidden too', () => {
    const text = `${'x '.repeat(290)}token=${'s'.repeat(100)}`;
    expect(excerpt(text, {})).not.toContain('s'.repeat(5));
  });

  it('T5 never breaks over a text, nor grows without bound', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 2_000 }), (text) => {
        expect(excerpt(text, {}).length).toBeLessThanOrEqual(600);
      }),
    );
  });
});

describe('why a lock could not be asked', () => {
  it.each([
    ['relay_query_timeout', 'error_category=relay_query_timeout'],
    ['malformed_relay_url_config', 'x\nerror_category=malformed_relay_url_config relay=1\n'],
    [
      'relay_publish_quorum_failure',
      'error_category=other ERROR_CATEGORY=Relay_Publish_Quorum_Failure',
    ],
    ['unknown_backend_error', 'error_category=something_else'],
    ['unknown_backend_error', 'npm ERR!'],
    ['unknown_backend_error', ''],
  ])('T1 is %s', (category, stderr) => {
    expect(backendCategory(stderr)).toBe(category);
  });
});
