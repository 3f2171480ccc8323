import { closeSync, openSync, readSync } from 'node:fs';
import { basename } from 'node:path';
import type { Command } from 'commander';
import { LullError } from '../../base/errors.ts';
import type { ImportReport } from '../contract.ts';
import { LARGEST_FILE } from '../import-size.ts';
import type { Act } from './act.ts';
import { readWhole } from './parse.ts';
import { table } from './table.ts';

const ROWS_SHOWN = 20;

/** `lull stock import FILE`. */
export function addImportCommand(stock: Command, act: Act): void {
  act<ImportOptions>(
    stock
      .command('import')
      .description('take products over from the export of an inventory')
      .argument('[file]', 'a CSV file')
      .option('--map <field=column...>', 'which column holds a field, where the heads do not say')
      .option('--reorder-point <number>', 'for products that have none', readWhole(0, 1e9))
      .option('--location <name>', 'the location to count, where the file has several')
      .option('--dry-run', 'show what would change, and change nothing'),
    async ({ call, options, path, width }, named: string | undefined) => {
      const { file, map } = fileAndMap(named, options.map ?? []);
      const value = await call('stock.import', {
        name: basename(file),
        content: readWhole64(path(file), file),
        map,
        ...(options.reorderPoint !== undefined && { reorderPoint: options.reorderPoint }),
        ...(options.location !== undefined && { location: options.location }),
        dryRun: options.dryRun ?? false,
      });
      return { value, lines: importLines(value, width) };
    },
  );
}

interface ImportOptions {
  map?: string[];
  reorderPoint?: number;
  location?: string;
  dryRun?: boolean;
}

/** `--map` takes any number of words, so a file named behind it arrives among them. */
function fileAndMap(named: string | undefined, words: readonly string[]) {
  const last = words.at(-1);
  const swallowed = named === undefined && last !== undefined && !last.includes('=');
  const file = swallowed ? last : named;
  if (file === undefined) throw new LullError('invalid', "missing required argument 'file'");
  const map: Record<string, string> = {};
  for (const word of swallowed ? words.slice(0, -1) : words) {
    const at = word.indexOf('=');
    if (at < 1 || at === word.length - 1) {
      throw new LullError('invalid', `--map ${word} is not of the form field=Column`);
    }
    map[word.slice(0, at)] = word.slice(at + 1);
  }
  return { file, map };
}

/** The file's bytes as base64; no more of it is read than may be sent. */
function readWhole64(path: string, shown: string): string {
  const bytes = Buffer.alloc(LARGEST_FILE + 1);
  let size = 0;
  try {
    const handle = openSync(path, 'r');
    try {
      for (let got = -1; got !== 0 && size < bytes.length; size += got) {
        got = readSync(handle, bytes, size, bytes.length - size, null);
      }
    } finally {
      closeSync(handle);
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why =
      code === 'ENOENT' ? 'there is no such file' : code === 'EISDIR' ? 'it is a folder' : message;
    throw new LullError('invalid', `${shown} cannot be read: ${why}`);
  }
  if (size > LARGEST_FILE) {
    throw new LullError(
      'invalid',
      `${shown} is larger than ${Math.floor(LARGEST_FILE / 1e6)} MB`,
      'split it, or leave columns out',
    );
  }
  return bytes.toString('base64', 0, size);
}

function importLines(report: ImportReport, width: number | null): string[] {
  const { added, changed, unchanged } = report;
  const counts = `${added} added, ${changed} changed, ${unchanged} unchanged`;
  const lines = [
    report.dryRun
      ? `Would be: ${counts} (${report.format}). Nothing was changed.`
      : `${counts} (${report.format}).`,
    ...report.notes,
  ];
  const news = report.rows.filter((row) => row.change !== 'unchanged');
  if (news.length) {
    lines.push(
      '',
      ...table<ImportReport['rows'][number]>(
        [
          { head: 'SKU', cell: (row) => row.sku },
          { head: 'CHANGE', cell: (row) => row.change },
          { head: 'DETAIL', cell: (row) => row.detail, yields: true },
        ],
        news.slice(0, ROWS_SHOWN),
        width,
      ),
    );
    if (news.length > ROWS_SHOWN) lines.push(`… and ${news.length - ROWS_SHOWN} more`);
  }
  if (report.skipped.length) lines.push('', `Left out: ${report.skipped.length}`);
  for (const { row, sku, why } of report.skipped.slice(0, ROWS_SHOWN)) {
    lines.push(`  row ${row}${sku ? ` (${sku})` : ''}: ${why}`);
  }
  return lines;
}
