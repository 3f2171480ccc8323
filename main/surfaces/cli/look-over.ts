import type { Dispatch } from '../dispatch.ts';

/** As many rows as one answer may hold. */
const PAGE = 500;
type Row = Record<string, unknown>;

/** What is asked for whole, and what each answer shows, in the owner's words. */
const WHOLE: Readonly<Record<string, string>> = {
  'schedule.list': 'its schedules',
  'watch.list': 'its watches',
  status: 'its state',
  why: 'why its jobs wait',
  panel: 'its panel',
};

/**
 * Asks for all that a database can be asked for, row by row, and returns what cannot be shown, in a few
 * words; null where all can be. Tables take some values that no Lull writes, and a list with one such
 * row could never be read again.
 */
export async function cannotShow(dispatch: Dispatch): Promise<string | null> {
  try {
    await eachPage(dispatch, 'stock.list', 'its stock', ({ sku }) => ({ after: sku }));
    for (const what of ['job', 'draft']) {
      await eachPage(dispatch, `${what}s.list`, `its ${what}s`, before, ({ id }) =>
        answer(dispatch, `${what}s.show`, `${what} ${id}`, { id }),
      );
    }
    await eachPage(dispatch, 'jobs.history', 'its history', before);
    for (const [command, what] of Object.entries(WHOLE)) await answer(dispatch, command, what, {});
    return null;
  } catch (error) {
    if (error instanceof Unshown) return error.message;
    throw error;
  }
}

class Unshown extends Error {}

const before = ({ id }: Row) => ({ before: id });

async function answer(
  dispatch: Dispatch,
  command: string,
  what: string,
  input: object,
): Promise<unknown> {
  const reply = await dispatch(command, input);
  if (reply.ok) return reply.value;
  throw new Unshown(what);
}

async function eachPage(
  dispatch: Dispatch,
  command: string,
  what: string,
  next: (last: Row) => object,
  each: (row: Row) => Promise<unknown> = async () => {},
): Promise<void> {
  for (let from: object = {}; ; ) {
    const rows = (await answer(dispatch, command, what, { ...from, limit: PAGE })) as Row[];
    for (const row of rows) await each(row);
    const last = rows.at(-1);
    if (rows.length < PAGE || !last) return;
    from = next(last);
  }
}
