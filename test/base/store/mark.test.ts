import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it, onTestFinished } from 'vitest';
import { readMark } from '../../../main/base/store/mark.ts';
import { temporaryFolder } from '../../support/store.ts';

it('T2 a mark is read at one moment, though another process is making the file between two reads', () => {
  const path = join(temporaryFolder(), 'new.sqlite');
  const db = new Database(path);
  const other = new Database(path, { timeout: 0 });
  onTestFinished(() => void [db.close(), other.close()]);

  const make = other.transaction(() => {
    other.exec('CREATE TABLE ours (id INTEGER PRIMARY KEY)');
    other.pragma('application_id = 7');
    other.pragma('user_version = 1');
  });
  const pragma = db.pragma.bind(db);
  let tries = 0;
  db.pragma = (source, options) => {
    const read = pragma(source, options);
    tries += 1;
    // Whether it has to wait or writes where we do not look: what is read stays of one piece.
    if (tries <= 2) expect(() => make.immediate()).toThrow('database is locked');
    return read;
  };

  expect(readMark(db)).toEqual({ version: 0, owner: 0, isNew: true });
  expect(tries).toBe(2);
  make.immediate();
  expect(readMark(db)).toEqual({ version: 1, owner: 7, isNew: false });
});
