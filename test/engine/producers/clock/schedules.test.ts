import { describe, expect, it } from 'vitest';
import type { Rule } from '../../../../main/engine/producers/clock/rule.ts';
import { morning, producerRoom } from '../room.ts';

const S = 1000;
const at = (iso: string) => Date.parse(iso);
const every = (everySeconds: number, first = 100 * S): Rule => ({
  kind: 'interval',
  everySeconds,
  first,
});
const cron = (expression: string, zone = 'Europe/Berlin'): Rule => ({
  kind: 'cron',
  expression,
  zone,
});

describe('schedules', () => {
  it('P1 adding admits nothing: the first due time, past or not, waits for the pass', async () => {
    const room = await producerRoom();
    room.now = 139 * S;
    expect(room.schedules.add(morning({ id: ' morning ' }))).toEqual({
      ok: true,
      value: {
        ...morning(),
        revision: 1,
        ruleText: 'every 10 s',
        enabled: true,
        nextDue: 100 * S,
        admittedCount: 0,
        coalescedCount: 0,
        droppedCount: 0,
        missedCount: 0,
        lastAdmittedAt: null,
        lastStartedAt: null,
        lastFinishedAt: null,
      },
    });
    expect(room.jobs()).toEqual([]);
  });

  it('P2 a calendar schedule is first due after it was added, never before', async () => {
    const room = await producerRoom();
    room.now = at('2025-06-04T05:00Z'); // 07:00 in Berlin: that occurrence is not after now
    const added = room.schedules.add(morning({ rule: cron('0 7 * * 1-5') }));
    expect(added).toMatchObject({
      value: {
        ruleText: 'Monday to Friday at 07:00, Europe/Berlin',
        nextDue: at('2025-06-05T05:00Z'),
      },
    });
  });

  it.each<[string, Parameters<typeof morning>[0], RegExp, RegExp?]>([
    ['an empty identity', { id: '' }, /^id must not be empty$/],
    ['a blank identity', { id: ' \t' }, /^id must not be empty$/],
    ['101 characters', { id: 'x'.repeat(101) }, /^id has 101 characters; 100 are allowed$/],
    ['a line break', { id: 'a\nb' }, /^id must be one line/],
    ['an empty session', { session: '' }, /^session must not be empty$/],
    ['an empty prompt', { prompt: ' \n' }, /^prompt must not be empty$/],
    ['a long prompt', { prompt: 'é'.repeat(8193) }, /^prompt is 16,386 bytes; 16,384 are allowed$/],
    ['interval 0', { rule: every(0) }, /^the interval is 0 s; it must be a whole number/],
    ['interval 1.5', { rule: every(1.5) }, /^the interval is 1.5 s; it must be a whole/],
    ['interval NaN', { rule: every(Number.NaN) }, /^the interval is NaN s; it must be a whole/],
    [
      'no due time',
      { rule: every(1, Number.POSITIVE_INFINITY) },
      /^the first due time is Infinity/,
    ],
    [
      'a zone misspelt',
      { rule: cron('0 7 * * *', 'Europe/Berlim') },
      /zone "Europe\/Berlim" is not/,
      /^did you mean "Europe\/Berlin"\?$/,
    ],
    [
      'a city',
      { rule: cron('0 7 * * *', 'new york') },
      /not a known time zone/,
      /"America\/New_York"/,
    ],
    [
      'an offset',
      { rule: cron('0 7 * * *', '+02:00') },
      /zone "\+02:00" is not/,
      /such as Europe\/Berlin/,
    ],
    ['no such zone', { rule: cron('0 7 * * *', 'Middle-earth/Shire') }, /not a known time zone/],
    ['never', { rule: cron('0 0 30 2 *') }, /^cron "0 0 30 2 \*" never comes due$/],
    ['never in April', { rule: cron('0 0 31 4,6,9,11 *') }, /never comes due$/],
    [
      'six fields',
      { rule: cron('0 0 7 * * *') },
      /has 6 fields; five are needed$/,
      /0 7 \* \* 1-5 is/,
    ],
    ['no field', { rule: cron('') }, /^cron "" has 0 fields; five/],
    ['a date', { rule: cron('2026-01-01T00:00:00') }, /has 1 field; five are needed$/],
    ['minute 61', { rule: cron('61 7 * * *') }, /minute "61": out of range$/, /0 to 59/],
    ['month 13', { rule: cron('0 7 1 13 *') }, /month "13": out of range$/, /1 to 12/],
    ['a word', { rule: cron('0 7 * * funday') }, /day of week "funday"/, /SUN to SAT/],
    ['a backward range', { rule: cron('0 9-5 * * *') }, /hour "9-5": from value is larger/],
    ['a long line', { rule: cron('0,'.repeat(200)) }, /^the cron line has 400 characters/],
    ['window 0', { missed: { kind: 'within', seconds: 0 } }, /^the window is 0 s/],
    ['replay 1001', { missed: { kind: 'replay', atMost: 1001 } }, /^replay is 1001; it must be/],
    [
      'a recipient by name',
      { to: 'telegram:shop:Lucy' },
      /not a place to send results to$/,
      /numeric ID/,
    ],
  ])('P1 %s is refused with one line, and nothing is stored', async (_, wrong, message, hint) => {
    const room = await producerRoom();
    const refused = room.schedules.add(morning(wrong));
    expect(refused).toMatchObject({ ok: false, code: 'invalid' });
    if (refused.ok) return;
    expect(refused.message).toMatch(message);
    expect(`${refused.message}${refused.hint}`).not.toContain('\n');
    if (hint) expect(refused.hint).toMatch(hint);
    expect(room.schedules.list()).toEqual([]);
  });

  it('P1 an identity that is in use is refused, even by the same schedule', async () => {
    const room = await producerRoom();
    room.schedules.add(morning());
    expect(room.schedules.add(morning())).toMatchObject({
      ok: false,
      code: 'conflict',
      message: 'a schedule "morning" exists already',
      hint: 'change it with lull schedule edit morning, or choose another name',
    });
    room.schedules.disable('morning');
    expect(room.schedules.add(morning())).toMatchObject({ code: 'conflict' });
  });

  it('P1 an edit makes a new revision, kept whole, and the jobs of both are told apart', async () => {
    const room = await producerRoom();
    room.schedules.add(morning());
    room.clockPass(100 * S);
    room.now = 105 * S;
    const edited = room.schedules.edit('morning', {
      prompt: 'Prepare it in French.',
      tier: 'stretch',
    });
    expect(edited).toMatchObject({ value: { revision: 2, tier: 'stretch', nextDue: 110 * S } });
    room.clockPass(110 * S);
    expect(room.jobs().map((job) => [job.source, job.tier])).toEqual([
      ['job:morning@1:100000', 'routine'],
      ['job:morning@2:110000', 'stretch'],
    ]);
    const kept = room.store.db
      .prepare("SELECT revision, json_extract(body, '$.prompt') AS prompt FROM schedule_revisions")
      .all();
    expect(kept).toEqual([
      { revision: 1, prompt: 'Prepare the opening brief.' },
      { revision: 2, prompt: 'Prepare it in French.' },
    ]);
    expect(() =>
      room.store.db.exec("UPDATE schedules SET prompt = 'x' WHERE id = 'morning'"),
    ).toThrow(/next revision/);
  });

  it('P1 an edit that changes nothing makes no revision, and a wrong one changes nothing', async () => {
    const room = await producerRoom();
    room.schedules.add(morning());
    expect(room.schedules.edit('morning', { rule: every(10) })).toMatchObject({
      value: { revision: 1 },
    });
    expect(room.schedules.edit('morning', { rule: every(0) })).toMatchObject({ code: 'invalid' });
    expect(room.schedules.list()).toMatchObject([{ revision: 1, rule: every(10) }]);
    expect(room.schedules.edit('mornin', {})).toMatchObject({
      code: 'not_found',
      hint: 'did you mean "morning"?',
    });
  });

  it('P1 a new rule is due after now, and what the old one left open is counted as missed', async () => {
    const room = await producerRoom();
    room.schedules.add(morning());
    room.now = 139 * S;
    const edited = room.schedules.edit('morning', { rule: every(60, 0) });
    expect(edited).toMatchObject({ value: { nextDue: 180 * S, droppedCount: 4 } });
    expect(room.clockPass(139 * S).admitted).toEqual([]);
  });

  it('P1 a prompt edited while an occurrence is due keeps it due', async () => {
    const room = await producerRoom();
    room.schedules.add(morning());
    room.now = 139 * S;
    room.schedules.edit('morning', { prompt: 'Another.' });
    expect(room.clockPass(139 * S).admitted).toHaveLength(1);
  });

  it('P1 enabling again never fires for what passed while it was off', async () => {
    const room = await producerRoom();
    room.schedules.add(morning());
    room.now = 100 * S;
    room.clockPass(room.now);
    room.now = 125 * S;
    expect(room.schedules.disable('morning')).toMatchObject({
      value: { enabled: false, nextDue: null, droppedCount: 2 },
    });
    room.now = 555 * S;
    expect(room.clockPass(room.now)).toMatchObject({ moved: 0 });
    const enabled = room.schedules.enable('morning');
    expect(enabled).toMatchObject({ value: { enabled: true, nextDue: 560 * S, droppedCount: 2 } });
    expect(room.clockPass(room.now)).toMatchObject({ moved: 0 });
    room.now = 565 * S;
    expect(room.schedules.enable('morning')).toEqual(enabled); // on already: what is due stays due
    expect(room.clockPass(565 * S).admitted).toHaveLength(1);
  });

  it('P1 enabled again after the clock was set back, an occurrence is still not admitted twice', async () => {
    const room = await producerRoom();
    room.schedules.add(morning());
    room.clockPass(100 * S);
    room.now = 95 * S;
    room.schedules.disable('morning');
    room.schedules.enable('morning');
    expect(room.clockPass(100 * S).admitted).toEqual([]);
    expect(room.jobs()).toHaveLength(1);
    expect(room.schedules.list()).toMatchObject([{ admittedCount: 1, nextDue: 110 * S }]);
    expect(room.events('wake.job.enqueued')).toHaveLength(1);
  });

  it('P1 admitted, started and finished are three times, each of a job that did so', async () => {
    const room = await producerRoom();
    room.schedules.add(morning({ rule: every(10, 1_780_000_000_000) }));
    const t = 1_780_000_000_000;
    const times = () =>
      room.schedules
        .list()
        .map((one) => [one.lastAdmittedAt, one.lastStartedAt, one.lastFinishedAt])[0];
    room.clockPass(t + 1);
    expect(times()).toEqual([t + 1, null, null]);
    room.finishJobs(t + 5);
    expect(times()).toEqual([t + 1, t + 5, t + 5]);
    room.clockPass(t + 10_000);
    expect(times()).toEqual([t + 10_000, t + 5, t + 5]);
    // Closed without ever running: nothing has started or finished.
    room.now = t + 11_000;
    room.queue.cancel(2);
    expect(times()).toEqual([t + 10_000, t + 5, t + 5]);
    room.now = t + 12_000;
    room.schedules.edit('morning', { prompt: 'Another.' });
    expect(times()).toEqual([t + 10_000, t + 5, t + 5]);
  });

  it('P2 previews a stored schedule and a rule that is not stored yet', async () => {
    const room = await producerRoom();
    room.now = at('2025-03-08T12:00Z');
    room.schedules.add(morning({ rule: cron('30 2 * * *', 'America/New_York') }));
    const night = { at: at('2025-03-09T07:00Z'), local: 'Sun 2025-03-09 03:00' };
    expect(room.schedules.preview({ id: 'morning' }, 2)).toMatchObject({
      ok: true,
      value: [night, { local: 'Mon 2025-03-10 02:30' }],
    });
    expect(
      room.schedules.preview({ rule: cron('30 2 * * *', 'America/New_York') }, 1),
    ).toMatchObject({ value: [night] });
    expect(room.schedules.preview({ rule: cron('0 0 30 2 *') }, 1)).toMatchObject({ ok: false });
    expect(room.schedules.preview({ id: 'evening' }, 1)).toMatchObject({ code: 'not_found' });
  });
});
