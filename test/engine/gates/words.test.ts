import { describe, expect, it } from 'vitest';
import {
  countOf,
  momentInWords,
  percentInWords,
  spanInWords,
  watchTime,
} from '../../../main/engine/gates/words.ts';

describe('words for times', () => {
  it.each([
    [0, '0:00'],
    [42.9, '0:42'],
    [60, '1:00'],
    [3599, '59:59'],
    [3600, '1:00:00'],
    [90_061, '25:01:01'],
    [-3, '0:00'],
  ])('G6 %d seconds on a watch read %s', (seconds, words) => {
    expect(watchTime(seconds)).toBe(words);
  });

  it.each([
    [0, '0 s'],
    [1, '1 s'],
    [258_000, '4 min 18 s'],
    [300_000, '5 min'],
    [3_600_000, '1 h'],
    [5_400_000, '1 h 30 min'],
    [3_605_000, '1 h'],
    [97_200_000, '1 d 3 h'],
  ])('G6 %d ms take %s', (ms, words) => {
    expect(spanInWords(ms)).toBe(words);
  });

  it.each([
    [new Date(2026, 4, 20, 14, 30), '14:30'],
    [new Date(2026, 4, 20, 0, 5), '00:05'],
    [new Date(2026, 4, 21, 8, 0), '08:00 tomorrow'],
    [new Date(2026, 4, 22, 8, 0), '08:00 on 22 May'],
    [new Date(2027, 0, 3, 8, 0), '08:00 on 3 Jan 2027'],
  ])('G6 %s is said as short as it can be', (moment, words) => {
    expect(momentInWords(moment.getTime(), new Date(2026, 4, 20, 12).getTime())).toBe(words);
  });

  it('G6 the last evening of a year sees the first morning of the next as tomorrow', () => {
    const now = new Date(2026, 11, 31, 23, 0).getTime();
    expect(momentInWords(new Date(2027, 0, 1, 8, 0).getTime(), now)).toBe('08:00 tomorrow');
  });

  it('G6 counts and charges are said plainly', () => {
    expect([countOf(1, 'job'), countOf(0, 'job'), countOf(3, 'job')]).toEqual([
      '1 job',
      '0 jobs',
      '3 jobs',
    ]);
    expect(percentInWords(19.96)).toBe('19 %');
  });
});
