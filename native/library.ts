import { createRequire } from 'node:module';
import type { LibraryHandle } from 'koffi';

export type Koffi = typeof import('koffi');

// Not called `require`: for that name the bundler of the desktop app declares one of its own.
const fetchPackage = createRequire(import.meta.url);
let loaded: Koffi | null = null;

/** The foreign-function layer. Throws where its binary is missing; so a probe asks for it, not a module. */
export function koffi(): Koffi {
  loaded ??= fetchPackage('koffi') as Koffi;
  return loaded;
}

/** Opens a shared library by its name. Throws a sentence fit for the owner where it is not installed. */
export function openLibrary(name: string): LibraryHandle {
  try {
    return koffi().load(name);
  } catch (error) {
    throw new Error(`${name} cannot be loaded: ${(error as Error).message}`);
  }
}
