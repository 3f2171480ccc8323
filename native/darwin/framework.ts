import { basename } from 'node:path';
import type { LibraryHandle } from 'koffi';
import { openLibrary } from '../library.ts';

/**
 * A system library. It is opened when a function of it is first asked for, and never closed: a call
 * after that would end the process.
 */
export interface Framework {
  /** Opens it for what it brings with it. Throws a sentence where it is missing. */
  open(): void;
  /**
   * A C function, with the types of its result and parameters in koffi's words. They are matched by
   * nothing but care: a wrong one is a crash. Throws a sentence where the function or the library is
   * missing.
   */
  find<F extends (...values: never[]) => unknown>(
    name: string,
    result: string,
    parameters: readonly string[],
  ): F;
}

/**
 * `path` goes to dlopen as it is. Since macOS 11 no file is there: the system's libraries live in one
 * shared cache, so whether a file exists says nothing.
 */
export function framework(path: string): Framework {
  const library = once<LibraryHandle>(() => openLibrary(path));
  return {
    open: () => void library(),
    find(name, result, parameters) {
      const opened = library();
      try {
        return opened.func(name, result, [...parameters]) as never;
      } catch (error) {
        throw new Error(`${basename(path)} has no ${name}`, { cause: error });
      }
    },
  };
}

/** Does it when first asked; later calls get the same result, or the same error, without doing it again. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | { error: unknown } | null = null;
  return () => {
    if (made === null) {
      try {
        made = { value: make() };
      } catch (error) {
        made = { error };
      }
    }
    if ('error' in made) throw made.error;
    return made.value;
  };
}
