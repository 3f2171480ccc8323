import { LullError, type Result } from '../base/errors.ts';

/** The value, or its refusal thrown for the carrier to bring to the owner. */
export function must<T>(result: Result<T>): T {
  if (result.ok) return result.value;
  throw new LullError(result.code, result.message, result.hint);
}
