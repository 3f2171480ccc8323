import { rmdirSync } from 'node:fs';

/** Removes a folder if nothing is in it. */
export function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // Something else is there, or it is gone already.
  }
}
