import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../support/store.ts';
import { producerRoom } from './room.ts';

const NOON = Date.parse('2026-06-01T12:00Z');

async function room() {
  const made = await producerRoom(2);
  made.now = NOON;
  return made;
}

describe('one-off work', () => {
  it('P8 becomes one job with its window, its title and its files by their real paths', async () => {
    const { addTask, jobs } = await room();
    const dir = temporaryFolder();
    writeFileSync(join(dir, 'notes.txt'), 'x');
    symlinkSync(join(dir, 'notes.txt'), join(dir, 'link'));
    mkdirSync(join(dir, 'sub'));
    const added = addTask({
      text: `Summarise ${'my notes '.repeat(12)}\n\nIn French, please.`,
      tier: 'synthesis',
      notBefore: NOON + 1000,
      until: NOON + 9000,
      files: [relative(process.cwd(), join(dir, 'link')), join(dir, 'notes.txt'), join(dir, 'sub')],
      identity: 'click-1',
    });
    expect(added).toEqual({ ok: true, value: { job: 1, outcome: 'admitted' } });
    const [job] = jobs();
    expect(job).toMatchObject({
      source: 'manual:click-1',
      tier: 'synthesis',
      session: null,
      notBefore: NOON + 1000,
      expiresAt: NOON + 9000,
    });
    expect(job?.payload).toMatchObject({ files: [join(dir, 'notes.txt'), join(dir, 'sub')] });
    expect(job?.title).toMatch(/^Summarise my notes .*…$/);
    expect([...(job?.title ?? '')].length).toBeLessThanOrEqual(80);
  });

  it('P8 the same identity is the same job, other work under it is refused, and none makes a new one', async () => {
    const { addTask, jobs } = await room();
    const task = { text: 'Count the freezer.', tier: 'routine', identity: '1' } as const;
    expect(addTask(task)).toMatchObject({ value: { job: 1, outcome: 'admitted' } });
    expect(addTask(task)).toMatchObject({ value: { job: 1, outcome: 'duplicate' } });
    expect(addTask({ ...task, text: 'Count the shelves.' })).toMatchObject({
      code: 'conflict',
      message: '"1" is already the name of other work, job 1',
    });
    expect(addTask({ text: 'Count the freezer.', tier: 'routine' })).toMatchObject({
      value: { job: 2 },
    });
    expect(addTask({ text: 'Count the freezer.', tier: 'routine' })).toMatchObject({
      ok: false,
      code: 'queue_full',
    });
    expect(jobs()).toHaveLength(2);
  });

  it('P8 is admitted while all is paused: the owner asked for it', async () => {
    const made = await room();
    made.pause();
    expect(made.addTask({ text: 'Do it.', tier: 'routine' })).toMatchObject({ ok: true });
  });

  it.each<[string, object, RegExp]>([
    ['no text', { text: ' ' }, /^text must not be empty$/],
    ['too much text', { text: 'x'.repeat(16_385) }, /^text is 16,385 bytes; 16,384 are allowed$/],
    ['a long identity', { identity: 'x'.repeat(101) }, /^identity has 101 characters/],
    ['an unknown tier', { tier: 'huge' }, /^tier must be one of pinned/],
    ['an end in the past', { until: NOON }, /^"until" has passed: 2026-06-01T12:00:00.000Z$/],
    [
      'an end before the start',
      { notBefore: NOON + 9, until: NOON + 9 },
      /must be after "not before"/,
    ],
    ['no moment', { notBefore: Number.NaN }, /^"not before" is NaN; it must be a moment$/],
  ])('P8 %s is refused with one line, and nothing is stored', async (_, wrong, message) => {
    const { addTask, jobs } = await room();
    const refused = addTask({ text: 'Do it.', tier: 'routine', ...wrong });
    expect(refused).toMatchObject({ ok: false, code: 'invalid' });
    expect(refused.ok || refused.message).toMatch(message);
    expect(jobs()).toEqual([]);
  });

  it('P8 a file that is missing, unreadable or Lull’s own is refused by its path', async () => {
    const made = await producerRoom();
    const { addTask, jobs, store } = made;
    const dir = temporaryFolder();
    const text = join(dir, 'a.txt');
    writeFileSync(text, 'x');
    symlinkSync('loop', join(dir, 'loop'));
    const refusal = (file: string) => {
      const refused = addTask({ text: 'Read it.', tier: 'routine', files: [text, file] });
      return refused.ok ? '' : refused.message;
    };
    expect(refusal(join(dir, 'b.txt'))).toBe(`there is no such file: ${join(dir, 'b.txt')}`);
    expect(refusal(join(text, 'b'))).toBe(`there is no such file: ${join(text, 'b')}`);
    expect(refusal('/dev/null')).toBe('neither a file nor a folder: /dev/null');
    expect(refusal(join(dir, 'loop'))).toBe(
      `this file cannot be read (ELOOP): ${join(dir, 'loop')}`,
    );
    expect(refusal(store.path)).toBe(`in Lull's own data folder: ${store.path}`);
    symlinkSync(store.path, join(dir, 'inside'));
    expect(refusal(join(dir, 'inside'))).toMatch(/own data folder/);
    expect(refusal(join(dirname(store.path), '..', '..', 'nowhere', 'x'))).toMatch(/no such file/);
    if (process.getuid?.() !== 0) {
      chmodSync(text, 0);
      expect(refusal(text)).toBe(`this file may not be read: ${text}`);
    }
    expect(jobs()).toEqual([]);
  });
});
