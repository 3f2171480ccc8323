import { type Failure, failure } from '../../base/errors.ts';

/** The longest prompt, in bytes of UTF-8. */
const PROMPT_BYTES = 16_384;
const NAME_LENGTH = 100;

/** Null, or why `value` cannot name something: 1 to 100 characters on one line. */
export function nameFault(field: string, value: unknown): Failure | null {
  if (typeof value !== 'string' || value.trim() === '') {
    return failure(
      'invalid',
      `${field} must not be empty`,
      `give it 1 to ${NAME_LENGTH} characters`,
    );
  }
  const length = [...value].length;
  if (length > NAME_LENGTH) {
    return failure('invalid', `${field} has ${length} characters; ${NAME_LENGTH} are allowed`);
  }
  if (/[\p{Cc}\p{Cs}\u2028\u2029]/u.test(value)) {
    return failure('invalid', `${field} must be one line of plain characters`);
  }
  return null;
}

/** Null, or why `value` cannot be a prompt. */
export function promptFault(field: string, value: unknown): Failure | null {
  if (typeof value !== 'string' || value.trim() === '') {
    return failure('invalid', `${field} must not be empty`);
  }
  const bytes = Buffer.byteLength(value);
  if (bytes > PROMPT_BYTES) {
    return failure(
      'invalid',
      `${field} is ${grouped(bytes)} bytes; ${grouped(PROMPT_BYTES)} are allowed`,
      'put the long part in a file and name the file',
    );
  }
  return null;
}

function grouped(value: number): string {
  return value.toLocaleString('en-US');
}
