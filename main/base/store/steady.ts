import Database from 'better-sqlite3';

/** Where the value of a parameter could speak for another plan: compared with, or a limit. */
const WEIGHED = /([=<>]|\b(?:LIMIT|OFFSET|BETWEEN|AND)\b)(\s*)(?=[?@])/g;

/**
 * Opens a database whose statements are planned once, when they are prepared. SQLite plans a statement
 * anew at its next step where a new value was bound to a parameter that its planner has looked at, and
 * better-sqlite3 binds anew at each use: most of the time of a small read would be its planning. A `+`
 * before such a parameter changes no value and hides it from the planner. Throws what SQLite throws.
 */
export function openSteady(path: string, options: Database.Options): Database.Database {
  const db = new Database(path, options);
  const prepare = db.prepare.bind(db);
  db.prepare = ((sql: string) => prepare(steady(sql))) as typeof db.prepare;
  return db;
}

export function steady(sql: string): string {
  return sql.replace(WEIGHED, '$1$2+');
}
