import { describe, expect, it } from 'vitest';
import { preview } from '../../../../main/engine/producers/clock/preview.ts';
import type { Rule } from '../../../../main/engine/producers/clock/rule.ts';
import { ruleText } from '../../../../main/engine/producers/clock/words.ts';

const cron = (expression: string, zone = 'Europe/Berlin'): Rule => ({
  kind: 'cron',
  expression,
  zone,
});
const every = (everySeconds: number): Rule => ({ kind: 'interval', everySeconds, first: 0 });
const at = (iso: string) => Date.parse(iso);

describe('a rule in words', () => {
  it.each([
    [every(10), 'every 10 s'],
    [every(300), 'every 5 min'],
    [every(5400), 'every 90 min'],
    [every(86_400), 'every 24 h'],
    [every(172_800), 'every 2 days'],
    [cron('0 7 * * *'), 'every day at 07:00, Europe/Berlin'],
    [cron('@daily'), 'every day at 00:00, Europe/Berlin'],
    [cron('30 7,19 * * *'), 'every day at 07:30 and 19:30, Europe/Berlin'],
    [cron('0 7 * * 1-5'), 'Monday to Friday at 07:00, Europe/Berlin'],
    [cron('0 7 * * MON,wed,0'), 'every Monday, Wednesday and Sunday at 07:00, Europe/Berlin'],
    [cron('15 6 1 * ?'), 'on day 1 of every month at 06:15, Europe/Berlin'],
    [cron('15 6 L * *'), 'on the last day of every month at 06:15, Europe/Berlin'],
    [cron('0 0 29 feb *'), 'every year on 29 February at 00:00, Europe/Berlin'],
    [cron('*/15 * * * *'), 'every 15 min, Europe/Berlin'],
    [cron('*/15 * * * 6'), 'every 15 min, every Saturday, Europe/Berlin'],
    [cron('5 * * * *'), 'every hour at :05, Europe/Berlin'],
    [cron('0 */6 * * *'), 'every 6 h at :00, Europe/Berlin'],
    [cron('* * * * *', 'UTC'), 'every minute, UTC'],
    [cron('*/7 * * * *'), 'cron */7 * * * *, Europe/Berlin'],
    [cron('0 7 15W * *'), 'cron 0 7 15W * *, Europe/Berlin'],
    [cron('0  7 13 * 5'), 'cron 0 7 13 * 5, Europe/Berlin'],
  ])('P2 %j is read as "%s"', (rule, words) => {
    expect(ruleText(rule)).toBe(words);
  });
});

describe('preview', () => {
  it('P2 marks the night when a time is skipped, and shows where it runs', () => {
    expect(preview(cron('30 2 * * *', 'America/New_York'), at('2025-03-08T00:00Z'), 3)).toEqual([
      { at: at('2025-03-08T07:30Z'), local: 'Sat 2025-03-08 02:30', note: null },
      {
        at: at('2025-03-09T07:00Z'),
        local: 'Sun 2025-03-09 03:00',
        note: 'clocks go forward: 02:30 does not exist, runs at 03:00',
      },
      { at: at('2025-03-10T06:30Z'), local: 'Mon 2025-03-10 02:30', note: null },
    ]);
    const quarter = preview(cron('*/15 2 * * *', 'America/New_York'), at('2025-03-09T06:00Z'), 1);
    expect(quarter[0]?.note).toBe('clocks go forward: 02:00 to 02:45 do not exist, runs at 03:00');
  });

  it('P2 marks the night when a time comes twice', () => {
    const once = preview(cron('30 1 * * *', 'America/New_York'), at('2025-11-02T00:00Z'), 2);
    expect(once.map((one) => one.note)).toEqual([
      'clocks go back: 01:30 comes twice, runs the first time only',
      null,
    ]);
    const both = preview(cron('30 * * * *', 'America/New_York'), at('2025-11-02T05:00Z'), 3);
    expect(both.map((one) => one.note)).toEqual([
      'clocks go back: 01:30 comes twice, runs both times, this is the first',
      'clocks go back: 01:30 comes twice, runs both times, this is the second',
      null,
    ]);
    expect(both.map((one) => one.local.slice(-5))).toEqual(['01:30', '01:30', '02:30']);
  });

  it('P2 names a day that was dropped at the run after it', () => {
    const shown = preview(cron('0 9 * * *', 'Pacific/Apia'), at('2011-12-29T00:00Z'), 3);
    expect(shown.map((one) => [one.local, one.note])).toEqual([
      ['Thu 2011-12-29 09:00', null],
      ['Sat 2011-12-31 09:00', '2011-12-30 does not exist in Pacific/Apia: one run dropped'],
      ['Sun 2012-01-01 09:00', null],
    ]);
  });

  it('P1 an interval is shown in the local zone, and says when the clocks move under it', () => {
    const daily: Rule = { kind: 'interval', everySeconds: 86_400, first: at('2025-10-25T05:00Z') };
    expect(preview(daily, at('2025-10-24T12:00Z'), 3, 'Europe/Berlin')).toEqual([
      { at: at('2025-10-25T05:00Z'), local: 'Sat 2025-10-25 07:00', note: null },
      {
        at: at('2025-10-26T05:00Z'),
        local: 'Sun 2025-10-26 06:00',
        note: 'the clocks change before it; the interval keeps its length',
      },
      { at: at('2025-10-27T05:00Z'), local: 'Mon 2025-10-27 06:00', note: null },
    ]);
  });
});
