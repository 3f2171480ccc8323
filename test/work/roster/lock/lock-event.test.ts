import { finalizeEvent, generateSecretKey } from 'nostr-tools/pure';
import { describe, expect, it } from 'vitest';
import {
  completedEvent,
  readLockEvent,
  startedEvent,
} from '../../../../main/work/roster/lock/lock-event.ts';

/**
 * What existing tools write and read, put down from their documented format, not from this code: if one of
 * these texts has to change, mixed fleets are broken.
 */
const NOW = Date.parse('2026-02-20T14:30:15.250Z');
const REALM = { namespace: 'torch', hashtag: 'torch-agent-lock' };
const ABOUT = {
  cadence: 'daily',
  agent: 'docs-agent',
  date: '2026-02-20',
  platform: 'codex',
  model: 'gpt-5',
} as const;

const STARTED = {
  kind: 30_078,
  created_at: 1_771_597_815,
  tags: [
    ['d', 'torch-lock/daily/docs-agent/2026-02-20'],
    ['t', 'torch-agent-lock'],
    ['t', 'torch-lock-daily'],
    ['t', 'torch-lock-daily-2026-02-20'],
    ['expiration', '1771605015'],
  ],
  content:
    '{"agent":"docs-agent","cadence":"daily","status":"started","namespace":"torch","date":"2026-02-20",' +
    '"platform":"codex","model":"gpt-5","lockedAt":"2026-02-20T14:30:15.250Z",' +
    '"expiresAt":"2026-02-20T16:30:15.000Z","gitCommit":"4f6b7c1d9e0a2b3c4d5e6f708192a3b4c5d6e7f8",' +
    '"promptPath":"src/prompts/daily/docs-agent.md","promptHash":null}',
};

const COMPLETED = {
  kind: 30_078,
  created_at: 1_771_601_400,
  tags: [
    ['d', 'torch-lock/daily/docs-agent/2026-02-20'],
    ['t', 'torch-agent-lock'],
    ['t', 'torch-lock-daily'],
    ['t', 'torch-lock-daily-2026-02-20'],
  ],
  content:
    '{"agent":"docs-agent","cadence":"daily","status":"completed","namespace":"torch","date":"2026-02-20",' +
    '"platform":"codex","model":"gpt-5","startedAt":"2026-02-20T14:30:15.000Z",' +
    '"completedAt":"2026-02-20T15:30:00.000Z"}',
};

const WANTED = {
  namespace: 'torch',
  cadence: 'daily',
  dates: ['2026-02-19', '2026-02-20'],
  now: NOW,
} as const;

function sign(template: { kind: number; created_at: number; tags: string[][]; content: string }) {
  return finalizeEvent(structuredClone(template), generateSecretKey());
}

function readContent(content: unknown, changes: Partial<typeof STARTED> = {}) {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  return readLockEvent(sign({ ...STARTED, content: text, ...changes }), WANTED);
}

describe('the events of the lock', () => {
  it('T2 a claim has the tags and the content of existing tools, byte for byte', () => {
    const origin = {
      gitCommit: '4f6b7c1d9e0a2b3c4d5e6f708192a3b4c5d6e7f8',
      promptPath: 'src/prompts/daily/docs-agent.md',
      promptHash: null,
    };
    const times = { now: NOW, claimedAt: NOW, ttlSeconds: 7200 };
    expect(startedEvent(REALM, { ...ABOUT, ...origin }, times)).toEqual(STARTED);
  });

  it('T2 a completion carries no expiration and names when the claim was made', () => {
    const times = { now: Date.parse('2026-02-20T15:30:00Z'), startedAt: NOW };
    expect(completedEvent(REALM, ABOUT, times)).toEqual(COMPLETED);
  });

  it('T2 a renewal keeps the date and the time of its claim, and has a time to live of its own', () => {
    const later = NOW + 10 * 3_600_000; // past midnight
    const about = { ...ABOUT, gitCommit: null, promptPath: null, promptHash: null };
    const event = startedEvent(REALM, about, { now: later, claimedAt: NOW, ttlSeconds: 7200 });
    expect(event.tags[0]).toEqual(STARTED.tags[0]);
    expect(event.tags[4]).toEqual(['expiration', String(event.created_at + 7200)]);
    expect(JSON.parse(event.content).lockedAt).toBe('2026-02-20T14:30:15.250Z');
    expect(readLockEvent(sign(event), { ...WANTED, now: later })).toMatchObject({
      renewal: true,
      claimedAt: null,
    });
  });

  it('T2 reads the events that existing tools write', () => {
    expect(readLockEvent(sign(STARTED), WANTED)).toMatchObject({
      agent: 'docs-agent',
      status: 'started',
      date: '2026-02-20',
      platform: 'codex',
      createdAt: 1_771_597_815,
      expiresAt: 1_771_605_015,
      claimedAt: NOW,
      renewal: false,
    });
    expect(readLockEvent(sign(COMPLETED), { ...WANTED, now: NOW + 86_400_000 })).toMatchObject({
      status: 'completed',
      expiresAt: null,
    });
    // theirs is exact to the second: nothing more can be known of when it was claimed
    const theirs = { ...JSON.parse(STARTED.content), lockedAt: '2026-02-20T14:30:15.000Z' };
    expect(readContent(theirs)).toMatchObject({ claimedAt: null, renewal: false });
    // an older one without a status and without model or prompt is a claim
    expect(readContent({ agent: 'docs-agent' })).toMatchObject({
      status: 'started',
      platform: 'unknown',
    });
  });

  it('T2 an event without an expiration stays, one that is over is dropped', () => {
    const open = { tags: STARTED.tags.slice(0, 4) };
    expect(readContent(STARTED.content, open)).toMatchObject({ expiresAt: null });
    const over = (seconds: number) =>
      readLockEvent(sign(STARTED), { ...WANTED, now: 1_771_605_015_000 + seconds * 1000 });
    expect(over(-1)).toMatchObject({ status: 'started' });
    expect(over(0)).toBe('expired');
  });

  it.each([
    ['no JSON', 'hello', 'malformed'],
    ['a list', '[]', 'malformed'],
    ['null', 'null', 'malformed'],
    ['no agent', '{"cadence":"daily"}', 'malformed'],
    ['another agent than its tag', '{"agent":"audit-agent"}', 'foreign'],
  ])('T2 content that is %s does not count', (_, content, expected) => {
    expect(readContent(content)).toBe(expected);
  });

  it('T2 tags and times that cannot be right do not count', () => {
    const tags = (...changed: string[][]) => ({ tags: [...changed, ...STARTED.tags.slice(1, 4)] });
    const content = STARTED.content;
    expect(readContent(content, tags(['d', 'other-lock/daily/docs-agent/2026-02-20']))).toBe(
      'foreign',
    );
    expect(readContent(content, tags(['d', 'torch-lock/daily/docs-agent/2026-02-21']))).toBe(
      'foreign',
    );
    expect(readContent(content, tags(['x', 'y']))).toBe('malformed');
    const soon = tags(['d', 'torch-lock/daily/docs-agent/2026-02-20'], ['expiration', 'soon']);
    expect(readContent(content, soon)).toBe('malformed');
    const seconds = Math.floor(NOW / 1000);
    const ahead = (by: number) => readContent(content, { created_at: seconds + by });
    expect(ahead(900)).toMatchObject({ status: 'started' });
    expect(ahead(901)).toBe('future');
  });
});
