import { describe, expect, it } from 'vitest';
import { day, moment } from '../../../main/desk/view-model/moment.ts';

describe('a moment in the zone of the owner', () => {
  it.each([
    [Date.UTC(2026, 11, 3, 7, 5), 'UTC', '3 Dec', '3 Dec 07:05'],
    [Date.UTC(2026, 11, 2, 23, 30), 'Europe/Berlin', '3 Dec', '3 Dec 00:30'],
    [Date.UTC(2026, 8, 30, 2), 'America/New_York', '29 Sep', '29 Sep 22:00'],
    [Date.UTC(2026, 2, 29, 1), 'Europe/Berlin', '29 Mar', '29 Mar 03:00'],
  ])('D4 %i in %s', (at, zone, date, full) => {
    expect([day(at, zone), moment(at, zone)]).toEqual([date, full]);
  });
});
