import {
  type Change,
  type Changes,
  type Rows,
  TABLES,
  type TableName,
  type Tables,
} from './rows.ts';

/** What was committed, kept outside the database: what a later look must find again. */
export class Shadow {
  readonly jobs = new Map<number | string, Tables['jobs']>();
  readonly drafts = new Map<number | string, Tables['drafts']>();
  readonly schedules = new Map<number | string, Tables['schedules']>();
  readonly stock_conditions = new Map<number | string, Tables['stock_conditions']>();
  readonly transcripts = new Map<number | string, Tables['transcripts']>();

  /** Takes in what a commit has changed, and says what that was. */
  take(rows: Rows): Changes {
    const changes = blank();
    for (const { what, id } of rows.touched()) {
      const kept = this[what] as Map<number | string, Tables[TableName]>;
      const before = kept.get(id) ?? null;
      const after = rows.get(what, id);
      if (JSON.stringify(before) === JSON.stringify(after)) continue;
      if (after) kept.set(id, after);
      else kept.delete(id);
      (changes[what] as Change<Tables[TableName]>[]).push({ before, after });
    }
    return changes;
  }

  /** What differs between what was committed and what a new connection finds: nothing may. */
  compare(rows: Rows): string[] {
    return TABLES.flatMap((table) => {
      const kept = this[table] as Map<number | string, Tables[TableName]>;
      const found = new Map(rows.all(table).map((row) => [row.id as number | string, row]));
      const faults: string[] = [];
      for (const [id, row] of kept) {
        const now = found.get(id);
        if (!now) faults.push(`${table} ${id} was committed and is gone`);
        else if (JSON.stringify(now) !== JSON.stringify(row))
          faults.push(`${table} ${id} is not as it was committed: ${differences(row, now)}`);
      }
      for (const id of found.keys())
        if (!kept.has(id)) faults.push(`${table} ${id} is there and was never committed`);
      return faults;
    });
  }
}

function blank(): { [N in TableName]: Change<Tables[N]>[] } {
  return { jobs: [], drafts: [], schedules: [], stock_conditions: [], transcripts: [] };
}

function differences(a: object, b: object): string {
  return Object.entries(a)
    .filter(([key, value]) => value !== (b as Record<string, unknown>)[key])
    .map(([key, value]) => `${key} ${value} → ${(b as Record<string, unknown>)[key]}`)
    .join(', ');
}
