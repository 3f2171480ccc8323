import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { toolbox } from '../../../main/work/agent/tools.ts';
import { listGranted } from '../../../main/work/task/granted-files.ts';
import { fileTools } from '../../../main/work/task/tools.ts';
import { temporaryFolder } from '../../support/store.ts';

/** A folder with a few files, a secret beside it, and what a model may do with `given` paths. */
function aHome() {
  const home = realpathSync(temporaryFolder());
  const write = (path: string, content: string | Uint8Array) => {
    mkdirSync(join(home, path, '..'), { recursive: true });
    writeFileSync(join(home, path), content);
  };
  write('secret.txt', 'the secret');
  write('notes/b.txt', 'bee');
  write('notes/a.txt', 'ay');
  write('notes/deep/c.md', 'sea');
  write('notes/.env', 'TOKEN=1');
  return { home, write, at: (path: string) => join(home, path) };
}

const granted = (paths: string[], home = temporaryFolder()) => listGranted(paths, home);

async function tools(paths: string[], maxCharacters = 8000) {
  const box = toolbox(fileTools(await granted(paths)), { subject: null, maxCharacters });
  return async (name: string, args: Record<string, unknown> = {}) => {
    const { content } = await box.invoke({ id: '1', name, arguments: args });
    expect(content.length).toBeLessThanOrEqual(maxCharacters);
    return JSON.parse(content);
  };
}

describe('files of a task', () => {
  it('P8 a file and a folder stand for their regular files, nearest first, hidden ones left out', async () => {
    const { at } = aHome();
    const { files, problems } = await granted([at('secret.txt'), at('notes')]);
    expect(files.map((file) => file.name)).toEqual([
      'secret.txt',
      'notes/a.txt',
      'notes/b.txt',
      'notes/deep/c.md',
    ]);
    expect(problems).toEqual([]);
    expect((await granted([at('notes/.env')])).files.map((file) => file.name)).toEqual(['.env']);
  });

  it('P8 links inside a folder are not followed', async () => {
    const { home, at } = aHome();
    symlinkSync(at('secret.txt'), at('notes/link.txt'));
    symlinkSync(home, at('notes/home'));
    const { files } = await granted([at('notes')]);
    expect(files.map((file) => file.path)).toEqual([
      at('notes/a.txt'),
      at('notes/b.txt'),
      at('notes/deep/c.md'),
    ]);
  });

  it('P8 two files of one name are told apart', async () => {
    const { at, write } = aHome();
    write('other/a.txt', 'another');
    const { files } = await granted([at('notes/a.txt'), at('other/a.txt')]);
    expect(files.map((file) => file.name)).toEqual(['a.txt', 'a.txt (2)']);
  });

  it('P8 no more than 200 files are given, and the rest is said', async () => {
    const { at, write } = aHome();
    for (let i = 0; i < 230; i++) write(`many/${i}.txt`, 'x');
    const { files, problems } = await granted([at('secret.txt'), at('many')]);
    expect(files).toHaveLength(200);
    expect(problems).toEqual(['many: only the first 199 files are given']);
  });

  it('P8 what has vanished or become a link since admission is not read', async () => {
    const { at } = aHome();
    const paths = [at('notes/a.txt'), at('notes/b.txt'), at('notes/deep')];
    rmSync(at('notes/a.txt'));
    rmSync(at('notes/b.txt'));
    symlinkSync(at('secret.txt'), at('notes/b.txt'));
    const { files, problems } = await granted(paths);
    expect(files.map((file) => file.name)).toEqual(['deep/c.md']);
    expect(problems).toEqual(['a.txt does not exist', 'b.txt is now a link to something else']);
  });

  it('P8 the data folder is never entered, by whatever way it is given', async () => {
    const { home, at, write } = aHome();
    write('notes/lull/lull.sqlite', 'SQLite');
    symlinkSync(at('notes/lull'), at('data'));
    for (const data of [at('notes/lull'), at('data')]) {
      const { files, problems } = await granted([home, at('notes/lull/lull.sqlite')], data);
      expect(files.filter((file) => file.path.includes('lull.sqlite'))).toEqual([]);
      expect(files).toHaveLength(4);
      expect(problems).toEqual(['lull.sqlite is in Lull’s own folder']);
    }
  });

  it('P8 a file exchanged for a link, or reached by an exchanged folder, is refused when read', async () => {
    const { at, write } = aHome();
    const read = await tools([at('notes')]);
    rmSync(at('notes/a.txt'));
    symlinkSync(at('secret.txt'), at('notes/a.txt'));
    expect(await read('read_file', { file: 'notes/a.txt' })).toEqual({
      ok: false,
      error: 'notes/a.txt is no longer that file',
    });
    write('elsewhere/c.md', 'the secret');
    renameSync(at('notes/deep'), at('notes/gone'));
    symlinkSync(at('elsewhere'), at('notes/deep'));
    expect(await read('read_file', { file: 'notes/deep/c.md' })).toEqual({
      ok: false,
      error: 'notes/deep/c.md is no longer that file',
    });
    rmSync(at('notes/b.txt'));
    execFileSync('mkfifo', [at('notes/b.txt')]);
    expect((await read('read_file', { file: 'notes/b.txt' })).ok).toBe(false);
  });

  it('A4 a name the model says is looked up among the given files and never becomes a path', async () => {
    const { at } = aHome();
    const read = await tools([at('notes')]);
    expect(await read('list_files')).toEqual({
      ok: true,
      value: [
        { name: 'notes/a.txt', bytes: 2 },
        { name: 'notes/b.txt', bytes: 3 },
        { name: 'notes/deep/c.md', bytes: 3 },
      ],
    });
    for (const file of [
      at('secret.txt'),
      at('notes/a.txt'),
      '../secret.txt',
      'notes/../secret.txt',
      'notes/.env',
      './notes/a.txt',
      '__proto__',
    ]) {
      expect(await read('read_file', { file })).toEqual({
        ok: false,
        error: 'no file of that name was given with this task',
      });
    }
    expect((await read('read_file', { file: 'notes/a.txt' })).value).toEqual({
      file: 'notes/a.txt',
      offset: 0,
      text: 'ay',
      nextOffset: null,
      totalBytes: 2,
    });
  });

  it('A4 a long file is read piece by piece, each within the limit, and nothing is lost', async () => {
    const { at, write } = aHome();
    const text = Array.from({ length: 900 }, (_, i) => `${i} "Grüße" — 日本 😀\n`).join('');
    write('long.txt', text);
    const read = await tools([at('long.txt')], 2000);
    let whole = '';
    let pieces = 0;
    for (let offset: number | null = 0; offset !== null; pieces++) {
      const { value } = await read('read_file', { file: 'long.txt', offset });
      expect(value.offset).toBe(offset);
      whole += value.text;
      offset = value.nextOffset;
    }
    expect(whole).toBe(text);
    expect(pieces).toBeGreaterThan(10);
    const beyond = await read('read_file', { file: 'long.txt', offset: 1e9 });
    expect(beyond.value).toMatchObject({ text: '', nextOffset: null });
    expect((await read('read_file', { file: 'long.txt', offset: -1 })).ok).toBe(false);
  });

  it('A4 an offset inside a character starts at the next one', async () => {
    const { at, write } = aHome();
    write('u.txt', 'é日x');
    const read = await tools([at('u.txt')]);
    const { value } = await read('read_file', { file: 'u.txt', offset: 1 });
    expect(value).toMatchObject({ offset: 2, text: '日x' });
  });

  it('A4 text that escaping makes longer is still cut to the limit', async () => {
    const { at, write } = aHome();
    const text = '"\\\n'.repeat(2000);
    write('q.txt', text);
    const read = await tools([at('q.txt')], 2000);
    let whole = '';
    for (let offset: number | null = 0; offset !== null; ) {
      const { value } = await read('read_file', { file: 'q.txt', offset });
      whole += value.text;
      offset = value.nextOffset;
    }
    expect(whole).toBe(text);
  });

  it('A4 binary files are refused, old Western text is read and says so', async () => {
    const { at, write } = aHome();
    write('notes/pic.png', new Uint8Array([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0]));
    write('notes/old.txt', Buffer.from('Grüße aus Köln', 'latin1'));
    const read = await tools([at('notes')]);
    expect(await read('read_file', { file: 'notes/pic.png' })).toEqual({
      ok: false,
      error: 'notes/pic.png is not a text file',
    });
    expect(await read('read_file', { file: 'notes/old.txt' })).toMatchObject({
      note: 'not UTF-8: read as Windows-1252',
      value: { text: 'Grüße aus Köln', nextOffset: null },
    });
  });

  it.skipIf(process.getuid?.() === 0)(
    'A4 a file without permission is refused in words',
    async () => {
      const { at } = aHome();
      chmodSync(at('notes/a.txt'), 0);
      const read = await tools([at('notes')]);
      expect((await read('read_file', { file: 'notes/a.txt' })).error).toBe(
        'notes/a.txt may not be read',
      );
    },
  );

  it('A4 a list of files longer than the limit is shortened and says so', async () => {
    const { at, write } = aHome();
    for (let i = 0; i < 150; i++) write(`many/${'n'.repeat(40)}${i}.txt`, 'x');
    const read = await tools([at('many')], 3000);
    const { value, note } = await read('list_files');
    expect(value.length).toBeGreaterThan(20);
    expect(note).toBe(`${150 - value.length} more files`);
  });
});
