import type { Own, Ref } from './core-foundation.ts';
import { type Framework, once } from './framework.ts';

/** Properties of CoreAudio's objects: a selector and, for most, the global scope. */
export interface AudioObjects {
  has(object: number, property: Property): boolean;
  /** The numbers of other objects, or of streams. Throws where it cannot be read. */
  list(object: number, property: Property): number[];
  number(object: number, property: Property): number;
  /** A text that `own` takes over; null where it is empty or cannot be read. */
  text(object: number, property: Property, own: Own): Ref | null;
}

export interface Property {
  selector: number;
  scope: number;
}

export const SYSTEM_OBJECT = 1;
const MAIN_ELEMENT = 0;

export const GLOBAL = code('glob');
export const INPUT = code('inpt');
export const OUTPUT = code('outp');

export function property(selector: string, scope = GLOBAL): Property {
  return { selector: code(selector), scope };
}

/** A code of four letters is their bytes, the first one highest. */
function code(letters: string): number {
  return Buffer.from(letters, 'latin1').readUInt32BE();
}

/**
 * `hasMainLoop` says whether a run loop of the system runs on the main thread, as in Electron. Where
 * none does, as under plain Node, CoreAudio would never hear of a change, so it is told to use a
 * thread of its own.
 */
export function audioObjects(library: Framework, hasMainLoop: boolean): AudioObjects {
  const audio = once(() => {
    const functions = functionsOf(library);
    if (!hasMainLoop) {
      const noRunLoop = new BigUint64Array(1);
      const runLoop = address(property('rnlp'));
      functions.set(SYSTEM_OBJECT, runLoop, 0, null, noRunLoop.byteLength, noRunLoop);
    }
    return functions;
  });

  /** Fills `to` and returns how many bytes came. */
  function get(object: number, of: Property, to: Uint32Array | BigUint64Array): number {
    const size = new Uint32Array([to.byteLength]);
    const status = audio().get(object, address(of), 0, null, size, to);
    if (status !== 0) throw new Error(`CoreAudio refuses a property (${letters(status)})`);
    return size[0] as number;
  }

  return {
    has: (object, of) => audio().has(object, address(of)) !== 0,
    list(object, of) {
      const size = new Uint32Array(1);
      const status = audio().getSize(object, address(of), 0, null, size);
      if (status !== 0) throw new Error(`CoreAudio refuses a list (${letters(status)})`);
      // Fewer may come than were announced, because one can end in between.
      const items = new Uint32Array(Math.ceil((size[0] as number) / 4));
      return [...items.subarray(0, get(object, of, items) / 4)];
    },
    number(object, of) {
      const value = new Uint32Array(1);
      get(object, of, value);
      return value[0] as number;
    },
    text(object, of, own) {
      const value = new BigUint64Array(1);
      if (!audio().has(object, address(of))) return null;
      const isAddress = get(object, of, value) === value.byteLength;
      return own(isAddress && value[0] ? (value[0] as Ref) : null);
    },
  };
}

/** struct AudioObjectPropertyAddress. */
function address({ selector, scope }: Property): Uint32Array {
  return new Uint32Array([selector, scope, MAIN_ELEMENT]);
}

/** A status is most often a code of four letters. */
function letters(status: number): string {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(status);
  const text = bytes.toString('latin1');
  return /^[\x20-\x7e]{4}$/.test(text) ? text : String(status);
}

type Status = number;

function functionsOf({ find }: Framework) {
  const where = ['uint32_t', 'void *', 'uint32_t', 'void *'];
  return {
    has: find<(object: number, at: Uint32Array) => number>('AudioObjectHasProperty', 'uint8_t', [
      'uint32_t',
      'void *',
    ]),
    getSize: find<
      (object: number, at: Uint32Array, none: 0, qualifier: null, size: Uint32Array) => Status
    >('AudioObjectGetPropertyDataSize', 'int32_t', [...where, 'void *']),
    get: find<
      (
        object: number,
        at: Uint32Array,
        none: 0,
        qualifier: null,
        size: Uint32Array,
        to: Uint32Array | BigUint64Array,
      ) => Status
    >('AudioObjectGetPropertyData', 'int32_t', [...where, 'void *', 'void *']),
    set: find<
      (
        object: number,
        at: Uint32Array,
        none: 0,
        qualifier: null,
        size: number,
        from: BigUint64Array,
      ) => Status
    >('AudioObjectSetPropertyData', 'int32_t', [...where, 'uint32_t', 'void *']),
  };
}
