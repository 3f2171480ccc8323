import { describe, expect, it } from 'vitest';
import { membersInListing } from '../../../../main/work/roster/cycle/family.ts';

/** As macOS prints it: the environment stands behind the command. */
const LISTING = `    1     1 Ss   /sbin/launchd
  501   500 S    bash -lc agent PATH=/bin LULL_CYCLE_CHILD=m-1 HOME=/Users/me
  502   502 Ss   sleep 600 LULL_CYCLE_CHILD=m-1
  503   500 Z    (sh)
  504   504 S    sleep 600 LULL_CYCLE_CHILD=m-2
  505   500 R+   node x.js
  500   500 S    node cycle
`;

describe('the family of a child', () => {
  it('T5 is its group and who carries its mark, but not the dead', () => {
    const members = membersInListing(LISTING, { leader: 500, mark: 'm-1' });
    expect(members).toEqual([501, 502, 505, 500]);
    expect(membersInListing('', { leader: 500, mark: 'm-1' })).toEqual([]);
  });
});
