import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WorkerFault } from '../../../main/engine/workers/fault.ts';
import { inbox } from '../../../main/engine/workers/inbox.ts';
import {
  LARGEST_PAGE,
  readAll,
  readShelf,
  type Shelf,
} from '../../../main/engine/workers/shelves.ts';

const CLAIM = { id: 7, claimNo: 3 };
const HEAD = { job: 7, claim: 3 };

/** What the inbox makes of a text: the type of the message, or the fault. */
function taken(text: string, box = inbox(CLAIM)): string {
  try {
    return box.take(text, 0).type;
  } catch (error) {
    if (error instanceof WorkerFault && error.kind === 'protocol') return 'fault';
    throw error;
  }
}

const GOOD: object[] = [
  { type: 'read', id: 1, request: { verb: 'get', shelf: 'stock', key: 'a' } },
  { type: 'chat', id: 1, request: { messages: [], tools: [], maxOutputTokens: 1 } },
  { type: 'batch', id: 1, token: { n: 1 }, rows: [1, 'two', null] },
  { type: 'progress', progress: { done: 1, total: null, unit: 'files' } },
  { type: 'threw', code: null, message: 'no' },
  { type: 'ended', outcome: { kind: 'done', landing: { result: 'r' } } },
  { type: 'ended', outcome: { kind: 'yielded', cause: 'paused' } },
];

describe('S4 what a worker says', () => {
  it('S4 is taken when it is as the protocol has it', () => {
    for (const good of GOOD) {
      expect(taken(JSON.stringify({ ...good, ...HEAD }))).toBe((good as { type: string }).type);
    }
  });

  it('S4 is a fault of the protocol whatever else it is, and never anything worse', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json(), fc.string({ unit: 'binary' })), (text) => {
        expect(taken(text)).toBe('fault');
      }),
      { numRuns: 2000 },
    );
  });

  it('S4 is a fault with any one part of it changed in type, left out or added', () => {
    const strange = fc.anything({ withBigInt: false, withDate: false });
    fc.assert(
      fc.property(fc.constantFrom(...GOOD), fc.nat(), strange, (good, nth, value) => {
        const whole: Record<string, unknown> = { ...good, ...HEAD };
        const names = [...Object.keys(whole), 'more'];
        const name = names[nth % names.length] as string;
        const changed = { ...whole, [name]: value };
        const verdict = taken(JSON.stringify(changed));
        // A worker may choose its numbers, its token and its words.
        const free = ['id', 'token', 'message', 'code', 'rows'].includes(name);
        if (!free && JSON.stringify(changed) !== JSON.stringify(whole)) {
          const left = JSON.parse(JSON.stringify(changed));
          if (name in left || name !== 'more') expect(verdict).toBe('fault');
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('S4 requests are numbered upwards, and 200 words of progress a second are enough', () => {
    const box = inbox(CLAIM);
    const ask = (id: number) =>
      taken(JSON.stringify({ type: 'batch', ...HEAD, id, token: null, rows: [] }), box);
    expect([ask(1), ask(2), ask(2)]).toEqual(['batch', 'batch', 'fault']);
    const progress = JSON.stringify({ ...GOOD[3], ...HEAD });
    const told = inbox(CLAIM);
    for (let n = 0; n < 200; n++) expect(taken(progress, told)).toBe('progress');
    expect(taken(progress, told)).toBe('fault');
  });
});

describe('S4 shelves', () => {
  const entries = Array.from({ length: 450 }, (_, n) => ({ key: String(n).padStart(4, '0') }));
  const shelf: Shelf = {
    get: (key) => entries.find((one) => one.key === key),
    page: (after) => entries.filter(({ key }) => key > after), // gives more than was asked for
    count: () => entries.length,
  };
  const shelves = { numbers: shelf };

  it('S4 are read by get, page and count, and nothing but their own names', () => {
    expect(readShelf(shelves, { verb: 'get', shelf: 'numbers', key: '0007' })).toEqual({
      key: '0007',
    });
    expect(readShelf(shelves, { verb: 'get', shelf: 'numbers', key: 'x' })).toBeNull();
    expect(readShelf(shelves, { verb: 'count', shelf: 'numbers' })).toBe(450);
    for (const name of ['constructor', '__proto__', 'other']) {
      expect(() => readShelf(shelves, { verb: 'count', shelf: name })).toThrow('there is no shelf');
    }
  });

  it('S4 a page holds no more than was asked for, and all pages hold all', async () => {
    const sizes: number[] = [];
    const all = await readAll(
      {
        get: async () => null,
        count: async () => 0,
        async page(name, after, limit) {
          const page = readShelf(shelves, { verb: 'page', shelf: name, after, limit }) as unknown[];
          sizes.push(page.length);
          return page;
        },
      },
      'numbers',
      (entry) => (entry as { key: string }).key,
    );
    expect(all).toEqual(entries);
    expect(sizes).toEqual([LARGEST_PAGE, LARGEST_PAGE, 50]);
  });
});
