import { expect, it } from 'vitest';
import { configSchema } from '../../main/base/config-schema.ts';
import { telling } from '../../main/desk/telling.ts';

const at = (hour: number) => new Date(2026, 4, 20, hour).getTime();
const tell = (notices: object, hour = 12) => telling(configSchema.parse({ notices }), at(hour));

it('D3 each kind of news can be switched off', () => {
  expect(tell({})).toEqual({ drafts: true, digest: true, failures: true });
  expect(tell({ draftReady: false })).toMatchObject({ drafts: false, digest: true });
  expect(tell({ digest: false, failures: false })).toEqual({
    ...{ drafts: true, digest: false, failures: false },
  });
});

it('D3 nothing is told in quiet hours, over midnight too', () => {
  const quietHours = { from: '22:00', to: '07:00' };
  const nothing = { drafts: false, digest: false, failures: false };
  expect(tell({ quietHours }, 23)).toEqual(nothing);
  expect(tell({ quietHours }, 6)).toEqual(nothing);
  expect(tell({ quietHours }, 7).drafts).toBe(true);
});
