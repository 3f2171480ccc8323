import { describe, expect, it } from 'vitest';
import {
  hiddenIconNews,
  type NewsInput,
  newsAddress,
  newsReader,
  refusalNews,
} from '../../main/surfaces/news.ts';
import { sampleDraft } from '../renderer/fixtures.ts';

const draft = (id: number, changes = {}) => sampleDraft({ id, ...changes });
const notice = (id: number, changes: Partial<NewsInput['notices'][number]> = {}) => ({
  ...{ id, kind: 'disk-full', text: 'The disk is full.', draft: null, count: 1, lastAt: 1 },
  ...changes,
});
const ALL = { drafts: true, digest: true, failures: true };
const NONE = { drafts: false, digest: false, failures: false };

/** A reader and what it says to a view; it starts with nothing there. */
function reader(first: Partial<NewsInput> = {}) {
  const news = newsReader();
  const read = (view: Partial<NewsInput>) =>
    news.read({ drafts: [], notices: [], telling: ALL, ...view });
  read(first);
  return read;
}

describe('news', () => {
  it('D3 tells of a draft that was not there before, with its amount', () => {
    const read = reader({ drafts: [draft(7)], notices: [notice(1)] });
    const view = { drafts: [draft(8), draft(7)], notices: [notice(1)] };
    expect(read(view).tell).toEqual([
      { key: 'draft-8', title: 'A draft for you', body: 'Replenish vanilla, $17.50' },
    ]);
    expect(read(view).tell).toEqual([]);
  });

  it('D3 tells nothing of what is there at the start', () => {
    const view = { drafts: [draft(7)], notices: [notice(1)], telling: ALL };
    expect(newsReader().read(view)).toEqual({ tell: [], withdraw: [] });
  });

  it('D3 tells of each notice once, and again only when it is a new one', () => {
    const read = reader();
    expect(read({ notices: [notice(3)] }).tell).toEqual([
      { key: 'notice-3', title: 'Lull', body: 'The disk is full.' },
    ]);
    expect(read({ notices: [notice(3, { count: 2, lastAt: 9 })] }).tell).toEqual([]);
    expect(read({}).withdraw).toEqual(['notice-3']);
    expect(read({ notices: [notice(4)] }).tell).toHaveLength(1);
  });

  it('D3 welcomes the owner with the digest', () => {
    const text = 'While you were away (12:00 to 14:00): 3 jobs ran for 1 h.';
    expect(reader()({ notices: [notice(5, { kind: 'digest', text })] }).tell).toEqual([
      { key: 'notice-5', title: 'Welcome back', body: text },
    ]);
  });

  it('D3 in quiet hours tells nothing, and afterwards what still stands', () => {
    const read = reader();
    const two = { drafts: [draft(2), draft(1)], notices: [notice(1)] };
    expect(read({ ...two, telling: NONE }).tell).toEqual([]);
    expect(read({ drafts: [draft(2)], notices: [notice(1)] }).tell.map(({ key }) => key)).toEqual([
      'draft-2',
      'notice-1',
    ]);
  });

  it('D3 each kind of news follows its own setting', () => {
    const view = { drafts: [draft(1)], notices: [notice(2, { kind: 'digest' }), notice(1)] };
    const told = (telling: NewsInput['telling']) =>
      reader()({ ...view, telling }).tell.map(({ key }) => key);
    expect(told({ ...NONE, drafts: true })).toEqual(['draft-1']);
    expect(told({ ...NONE, digest: true })).toEqual(['notice-2']);
    expect(told({ ...NONE, failures: true })).toEqual(['notice-1']);
  });

  it('D3 withdraws what is decided, and does not tell it again when it comes back', () => {
    const read = reader();
    read({ drafts: [draft(7)] });
    expect(read({}).withdraw).toEqual(['draft-7']);
    expect(read({ drafts: [draft(7)] }).tell).toEqual([]);
  });

  it('D3 does not tell of old drafts that a cut list shows later', () => {
    const read = reader({ drafts: [draft(60), draft(59)] });
    expect(read({ drafts: [draft(59), draft(12)] }).tell).toEqual([]);
  });

  it('D3 tells of many at once in one', () => {
    const many = [4, 3, 2, 1].map((id) => draft(id, { title: `Draft ${id}` }));
    expect(reader()({ drafts: many }).tell).toEqual([
      { key: 'drafts', title: '4 drafts for you', body: 'Draft 4, Draft 3, Draft 2, Draft 1' },
    ]);
  });

  it('D3 a notice about a draft leads to it', () => {
    const [told] = reader()({ notices: [notice(3, { draft: 9 })] }).tell;
    expect(newsAddress(told?.key ?? '')).toBe('/drafts/9');
  });

  it.each([
    ['draft-7', '/drafts/7'],
    ['drafts', '/drafts'],
    ['notice-3', '/now'],
    ['notice-3-draft-7', '/drafts/7'],
    [hiddenIconNews('setting').key, '/now'],
    [refusalNews({ message: 'not now' }).key, '/now'],
    ['draft-7/../x', null],
    ['draft-', null],
    ['', null],
  ])('D3 news %j leads to %j', (key, place) => {
    expect(newsAddress(key)).toBe(place);
  });

  it('D3 a hostile title is one short line', () => {
    const title = `\u202e<b>evil</b>\n${'x'.repeat(100_000)}`;
    const [told] = reader()({ drafts: [draft(1, { title, totalCents: null })] }).tell;
    expect(told?.body).toMatch(/^<b>evil<\/b> x+…$/);
    expect(told?.body.length).toBeLessThanOrEqual(200);
  });
});
