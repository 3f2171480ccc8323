import { describe, expect, it } from 'vitest';
import { eventsTable } from '../../../main/base/store/events.ts';
import { temporaryStore } from '../../support/store.ts';

describe('events', () => {
  it('Q4 are kept in order, by job and by kind, and never change', async () => {
    const { db } = await temporaryStore();
    const events = eventsTable(db);
    events.record(1, 'job.yielded', 7, { cause: 'returned' });
    events.record(2, 'job.deferred', 8, { code: 'ceiling' });
    events.record(3, 'job.yielded', 7, { cause: 'battery' });
    events.record(4, 'wake.job.deferred', null, { b: 1, a: 2 });

    expect(events.forJob(7).map((event) => event.payload)).toEqual([
      { cause: 'returned' },
      { cause: 'battery' },
    ]);
    expect(events.latestForJob(7)).toMatchObject({ at: 3, kind: 'job.yielded' });
    expect(events.latestForJob(9)).toBeNull();
    expect(events.byKind('job.yielded', 1).map((event) => event.at)).toEqual([3]);
    expect(events.latest(2).map((event) => event.at)).toEqual([4, 3]);
    expect(db.prepare('SELECT payload FROM events WHERE at = 4').pluck().get()).toBe(
      '{"a":2,"b":1}',
    );
    expect(() => db.exec('UPDATE events SET at = 9')).toThrow(/append-only/);
  });
});
