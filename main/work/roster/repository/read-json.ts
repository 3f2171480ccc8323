import { readFileSync, statSync } from 'node:fs';
import { failure, ok, type Result } from '../../../base/errors.ts';
import { findJsonFault } from '../../../base/json-fault.ts';

/** Far more than any roster or configuration needs. */
const LARGEST_BYTES = 1_000_000;

/**
 * A JSON file of a repository. `not_found` when there is none; `invalid`, with the place of the fault,
 * for one that cannot be read. Never guesses: a broken file is not an empty one.
 */
export function readJson(path: string): Result<unknown> {
  let text: string;
  try {
    if (statSync(path).size > LARGEST_BYTES) {
      return failure('invalid', `${path} is larger than 1 MB`, 'is it the right file?');
    }
    text = readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') {
      return failure('not_found', `there is no ${path}`);
    }
    return failure('invalid', `${path} cannot be read: ${message}`);
  }
  const fault = findJsonFault(text);
  if (!fault) return ok(JSON.parse(text));
  return failure(
    'invalid',
    `${path} is not valid JSON: ${fault.what} at row ${fault.row}, column ${fault.column}`,
    'mend the file',
  );
}
