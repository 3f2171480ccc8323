import { z } from 'zod';
import { failure } from '../../base/errors.ts';
import { type Tool, type ToolAnswer, tool } from '../agent/tools.ts';
import { type Granted, readBytes } from './granted-files.ts';
import { textPiece } from './text-piece.ts';

export const LIST_FILES = 'list_files';
export const READ_FILE = 'read_file';

/** What read_file answers. Offsets are bytes. */
export interface ReadPiece {
  file: string;
  offset: number;
  text: string;
  /** Where the next piece starts; null at the end. */
  nextOffset: number | null;
  totalBytes: number;
}

/**
 * Two tools over the files given to one job. A name that the model says is looked up among the given
 * ones and never becomes a path.
 */
export function fileTools({ files, problems }: Granted): Tool[] {
  const byName = new Map(files.map((file) => [file.name, file]));
  return [
    tool({
      name: LIST_FILES,
      description: 'List the files given with this task.',
      effect: 'reads',
      schema: z.strictObject({}),
      run: (_, { maxCharacters }) => {
        const listed = files.map(({ name, bytes }) => ({ name, bytes }));
        const shown = fitting(listed, maxCharacters - 400);
        const notes = problems.slice(0, 3);
        if (shown.length < listed.length) notes.push(`${listed.length - shown.length} more files`);
        const note = notes.join('; ').slice(0, 300);
        return { ok: true, value: shown, ...(note && { note }) };
      },
    }),
    tool({
      name: READ_FILE,
      description: 'Read a piece of one given file as text, from a byte offset on.',
      effect: 'reads',
      schema: z.strictObject({
        file: z.string().describe('a name as list_files gives it'),
        offset: z.int().min(0).default(0),
      }),
      async run({ file: name, offset }, { maxCharacters }): Promise<ToolAnswer> {
        const file = byName.get(name);
        if (!file) return failure('not_found', `no file of that name was given with this task`);
        // Half the answer: escaping makes text longer, and the piece must leave room for its frame.
        const read = await readBytes(file, offset, Math.floor(maxCharacters / 2));
        if (!read.ok) return read;
        const { bytes, total } = read.value;
        const piece = textPiece(bytes, offset, offset + bytes.length >= total, maxCharacters - 500);
        if (!piece.ok) return { ...piece, message: `${name} ${piece.message}` };
        const { text, start, end, note } = piece.value;
        const value: ReadPiece = {
          ...{ file: name, offset: start, text },
          nextOffset: end < total ? end : null,
          totalBytes: total,
        };
        return { ok: true, value, ...(note && { note }) };
      },
    }),
  ];
}

/** As many of the list's first entries as fit into so many characters of JSON. */
function fitting<T>(list: readonly T[], characters: number): T[] {
  let room = characters;
  const end = list.findIndex((entry) => {
    room -= JSON.stringify(entry).length + 1;
    return room < 0;
  });
  return end < 0 ? [...list] : list.slice(0, end);
}
