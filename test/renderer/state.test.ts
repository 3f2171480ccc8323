import { describe, expect, it } from 'vitest';
import { configSchema } from '../../main/base/config-schema.ts';
import { money as hostMoney } from '../../main/base/money.ts';
import { FACTS } from '../../main/engine/gates/facts.ts';
import type { DraftRow, ScheduleRow } from '../../main/surfaces/contract.ts';
import { factName } from '../../renderer/state/facts.ts';
import { happened } from '../../renderer/state/happened.ts';
import { jobPages } from '../../renderer/state/history.ts';
import { entriesOf, newHours, settingOf } from '../../renderer/state/hours.ts';
import { Lingering } from '../../renderer/state/lingering.svelte.ts';
import { Pages } from '../../renderer/state/pages.svelte.ts';
import { gaveWayText, waitedText, yieldText } from '../../renderer/state/past-words.ts';
import { Reading } from '../../renderer/state/reading.svelte.ts';
import { ScheduleForm } from '../../renderer/state/schedule-form.svelte.ts';
import {
  FIELDS as fields,
  fromField,
  otherSettings,
  toField,
  valueAt,
} from '../../renderer/state/settings.ts';
import { count, day, moment, money, number, span } from '../../renderer/state/words.ts';
import { sampleDraft, testClient } from './fixtures.ts';

describe('settings of the panel', () => {
  const config = configSchema.parse({});

  it('D6 every field stands in the config, and what no field shows is shown as it is', () => {
    for (const field of fields) expect(valueAt(config, field.key), field.key).toBeDefined();
    const others = otherSettings(config).map(([key]) => key);
    expect(others).toEqual(expect.arrayContaining(['jobBudgetsSeconds', 'models.embedder']));
    const shown = [...fields.map((field) => field.key), 'models.servers', 'models.tiers'];
    for (const [group, value] of Object.entries(config)) {
      const keys = [...shown, ...others].filter((key) => key.split('.')[0] === group);
      const isGroup = typeof value === 'object' && !Array.isArray(value);
      const size = isGroup ? Math.max(1, Object.keys(value).length) : 1;
      expect(keys, group).toHaveLength(size);
    }
  });

  it('D6 what is shown and stored again is the same, and is accepted', () => {
    for (const field of fields) {
      if (field.kind === 'switch' || field.kind === 'hours') continue;
      const value = valueAt(config, field.key);
      expect(fromField(field, toField(field, value)), field.key).toEqual(value);
    }
    for (const field of fields) {
      if (field.kind !== 'choice') continue;
      for (const { value } of field.choices) {
        const [group = '', key = ''] = field.key.split('.');
        expect(configSchema.safeParse({ [group]: { [key]: value } }).success, value).toBe(true);
      }
    }
  });

  it('D6 the hours it offers are accepted, and no hours are none', () => {
    const hours = { heavy: settingOf([newHours(true)], true) };
    const notices = { quietHours: settingOf([newHours(false)], false) };
    expect(configSchema.safeParse({ hours, notices }).success).toBe(true);
    expect(settingOf([], true)).toBeNull();
    expect([
      entriesOf(null),
      entriesOf(hours.heavy).length,
      entriesOf(notices.quietHours).length,
    ]).toEqual([[], 1, 1]);
  });
});

describe('lists of the panel', () => {
  const rows = [3, 2, 1].map((id) => sampleDraft({ id }));

  it('D4 what was just decided stays at its place, whatever the list does, until it is released', () => {
    const lingering = new Lingering<DraftRow>();
    const decided = sampleDraft({ id: 2, state: 'dismissed' });
    lingering.among(rows);
    lingering.among(rows.filter((row) => row.id !== 2)); // a push that came before the answer
    lingering.keep(decided);
    expect(lingering.among(rows).map((row) => row.id)).toEqual([3, 2, 1]);
    expect(lingering.among(rows)[1]).toBe(decided);
    const without = rows.filter((row) => row.id !== 2);
    expect(lingering.among(without).map((row) => row.id)).toEqual([3, 2, 1]);
    lingering.release(2);
    expect(lingering.among(without).map((row) => row.id)).toEqual([3, 1]);
  });

  it('D4 pages follow each other by the last row, end with a short one, and are read again whole', async () => {
    let all = Array.from({ length: 120 }, (_, index) => index);
    const pages = new Pages<number>(async (last, limit) => {
      const start = last === undefined ? 0 : all.indexOf(last) + 1;
      return all.slice(start, start + limit);
    });
    await pages.more();
    await pages.more();
    expect([pages.rows.length, pages.end]).toEqual([100, false]);
    await pages.more();
    expect([pages.rows.length, pages.end]).toEqual([120, true]);
    all = all.filter((one) => one !== 7);
    await Promise.all([pages.again(), pages.again()]);
    expect(pages.rows).toEqual(all);
  });

  it('D5 jobs of several states come as one list, the newest first', async () => {
    const asked: unknown[] = [];
    const client = testClient({
      'jobs.list': (input: { state: string; before?: number }) => {
        asked.push(input);
        return input.state === 'queued' ? [{ id: 9 }, { id: 5 }] : [{ id: 7 }];
      },
    });
    const fetch = jobPages(client, ['queued', 'deferred']);
    expect((await fetch(undefined, 2)).map((job) => job.id)).toEqual([9, 7]);
    await fetch({ id: 7 } as never, 2);
    expect(asked.at(-1)).toEqual({ state: 'deferred', before: 7, limit: 2 });
  });

  it('D8 a wish to read that comes during a reading is carried out after it', async () => {
    let calls = 0;
    const gate = Promise.withResolvers<void>();
    const reading = new Reading(async () => {
      calls++;
      if (calls === 1) await gate.promise;
      return calls;
    });
    const first = reading.read();
    void reading.read();
    void reading.read();
    gate.resolve();
    await first;
    expect([calls, reading.value]).toEqual([2, 2]);
  });
});

describe('words of the panel', () => {
  it.each([
    [3, 'under 0.1 s'],
    [420, '0.4 s'],
    [12_400, '12 s'],
    [185_000, '3 min 5 s'],
    [7_800_000, '2 h 10 min'],
    [200_000_000, '2 d 7 h'],
  ])('D5 %d ms are %s', (ms, text) => {
    expect(span(ms)).toBe(text);
  });

  it('D4 an amount reads as the host writes it', () => {
    for (const cents of [0, 5, 1750, -1, 123_456_789, -100_000, Number.MAX_SAFE_INTEGER]) {
      for (const currency of ['USD', 'EUR', 'JPY', 'CHF']) {
        expect(money(cents, currency)).toBe(hostMoney(cents, currency));
      }
    }
  });

  it('D5 a moment is told as short as it can be', () => {
    const now = new Date(2026, 11, 1, 14).getTime();
    const at = (...parts: [number, number, number, number]) => new Date(...parts).getTime();
    expect(moment(at(2026, 11, 1, 7), now)).toBe('07:00');
    expect(moment(at(2026, 10, 30, 23), now)).toBe('30 Nov 23:00');
    expect(moment(at(2025, 10, 30, 23), now)).toBe('30 Nov 2025 23:00');
    expect(day(at(2026, 11, 1, 0), now)).toBe('Today');
    expect(day(at(2026, 10, 30, 23), now)).toBe('Yesterday');
    expect(day(at(2026, 10, 29, 1), now)).toBe('Sunday, 29 Nov');
    expect(number(1_234_567)).toBe('1,234,567');
  });

  it('D5 a job tells what it waited for and when it gave way', () => {
    const gave = { at: 1, cause: 'returned', text: 'you came back', tookMs: 1_900, freeMs: 8_000 };
    expect(waitedText({ waitedMs: 7_800_000, waitedBecause: 'you were here (2 h)' })).toBe(
      'waited 2 h 10 min: you were here (2 h)',
    );
    expect(waitedText({ waitedMs: 100, waitedBecause: null })).toBeNull();
    expect(gaveWayText([gave, gave])).toBe('gave way 2 times: you came back');
    expect(yieldText(gave)).toBe(
      'Gave way because you came back, stopped after 1.9 s, its memory was free after 8.0 s.',
    );
    expect(count(1, 'load')).toBe('1 load');
  });

  it('D5 what is not known to the panel is told as it was recorded', () => {
    expect(happened({ at: 1, kind: 'job.deferred', payload: { reason: 'No room.' } })).toBe(
      'Put off: No room.',
    );
    expect(happened({ at: 1, kind: 'job.beamed', payload: { to: 'Mars' } })).toBe(
      'job.beamed {"to":"Mars"}',
    );
  });
});

it('D9 every fact has a name for people', () => {
  for (const fact of FACTS) expect(factName(fact), fact).not.toBe(fact);
  expect(factName('moonPhase')).toBe('moonPhase');
});

describe('the form of a schedule', () => {
  const row = (rule: ScheduleRow['rule'], missed: ScheduleRow['missed']): ScheduleRow => ({
    ...{ id: 'morning', revision: 1, prompt: 'Ask.', session: 'shop', tier: null, rule, missed },
    ...{ ruleText: '', to: 'local', enabled: true, nextDue: 1, missedCount: 0, coalescedCount: 0 },
    ...{ lastAdmittedAt: null, lastStartedAt: null, lastFinishedAt: null },
  });

  it.each([
    [{ kind: 'cron', expression: '5 7 * * *', zone: 'Europe/Berlin' }, { kind: 'coalesce' }],
    [{ kind: 'cron', expression: '30 2 * * SUN', zone: 'UTC' }, { kind: 'skip' }],
    [
      { kind: 'interval', everySeconds: 90, first: 5 },
      { kind: 'within', seconds: 5_400 },
    ],
    [
      { kind: 'interval', everySeconds: 172_800, first: 5 },
      { kind: 'replay', atMost: 3 },
    ],
  ] as const)(
    'P1 what a schedule says is what its form gives back unchanged: %j',
    (rule, missed) => {
      const form = new ScheduleForm(row(rule, missed));
      expect([form.rule(), form.policy()]).toEqual([rule, missed]);
    },
  );
});
