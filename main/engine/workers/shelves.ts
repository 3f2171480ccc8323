import { z } from 'zod';

/**
 * What a worker may read of the store, through the supervisor: shelves that its kind of work names,
 * within the scope of its one job, and three verbs, which is all there will ever be.
 */
export interface Shelf {
  /** One entry; null where there is none, or none in the job's scope. */
  get(key: string): unknown;
  /** The next entries whose key comes after `after`, at most `limit`; '' starts at the first. */
  page(after: string, limit: number): readonly unknown[];
  count(): number;
}

export type Shelves = Readonly<Record<string, Shelf>>;

/** The same three verbs as a worker has them. */
export interface ReadPort {
  get(shelf: string, key: string): Promise<unknown>;
  page(shelf: string, after: string, limit: number): Promise<unknown[]>;
  count(shelf: string): Promise<number>;
}

/** A page is at most this many entries, so that no answer keeps the supervisor. */
export const LARGEST_PAGE = 200;

const shelf = z.string().min(1).max(100);
const key = z.string().max(1000);
export const readRequest = z.discriminatedUnion('verb', [
  z.strictObject({ verb: z.literal('get'), shelf, key }),
  z.strictObject({
    verb: z.literal('page'),
    shelf,
    after: key,
    limit: z.int().min(1).max(LARGEST_PAGE),
  }),
  z.strictObject({ verb: z.literal('count'), shelf }),
]);
export type ReadRequest = z.infer<typeof readRequest>;

/** Answers one read. Throws where the kind has no such shelf. */
export function readShelf(shelves: Shelves, request: ReadRequest): unknown {
  const found = Object.hasOwn(shelves, request.shelf) ? shelves[request.shelf] : undefined;
  if (!found) throw new Error(`there is no shelf ${request.shelf}`);
  switch (request.verb) {
    case 'get':
      return found.get(request.key) ?? null;
    case 'page':
      return found.page(request.after, request.limit).slice(0, request.limit);
    case 'count':
      return found.count();
  }
}

/** Every entry of a shelf, page by page; `keyOf` says what the next page comes after. */
export async function readAll(
  reads: ReadPort,
  shelf: string,
  keyOf: (entry: unknown) => string,
): Promise<unknown[]> {
  const all: unknown[] = [];
  for (let after = ''; ; ) {
    const page = await reads.page(shelf, after, LARGEST_PAGE);
    all.push(...page);
    if (page.length < LARGEST_PAGE) return all;
    after = keyOf(page.at(-1));
  }
}
