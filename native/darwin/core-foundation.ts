import { type Framework, once } from './framework.ts';

declare const brand: unique symbol;

/** The address of a living CoreFoundation object; NULL is `null`. No `Ref` may leave `native/darwin`. */
export type Ref = bigint & { readonly [brand]: 'CFTypeRef' };

/** Takes over an object that a Create or Copy function gave; it is released when the scope ends. */
export type Own = (ref: Ref | null) => Ref | null;

/** The named values of a dictionary or of a registry entry; null where there is none of that name. */
export interface Fields {
  text(name: string): string | null;
  integer(name: string): number | null;
  /** A boolean, or a number other than 0. */
  flag(name: string): boolean | null;
}

/**
 * CoreFoundation's objects as values. What is not of the expected type throws a sentence, because
 * reading it as that type would end the process.
 */
export interface CoreFoundation {
  /** Releases all that was taken over by `own`, however `use` ends. */
  scope<T>(use: (own: Own) => T): T;
  /** A CFString of that text, kept until `close`. */
  key(name: string): Ref;
  fields(dictionary: Ref): Fields;
  /** Fields that `lookup` finds one by one. */
  fieldsBy(lookup: <T>(name: string, convert: (ref: Ref) => T) => T | null): Fields;
  /** `what` names the value in the sentence thrown. */
  text(ref: Ref, what: string): string;
  integer(ref: Ref, what: string): number;
  /** The members of an array; borrowed, so gone with it. */
  items(array: Ref, what: string): Ref[];
  /** The members of a dictionary; borrowed, so gone with it. */
  pairs(dictionary: Ref, what: string): { key: Ref; value: Ref }[];
  expectDictionary(ref: Ref, what: string): Ref;
  /** Releases the keys; the next call makes them anew. */
  close(): void;
}

const UTF8 = 0x08000100;
const SINT64 = 4;

export function coreFoundation(library: Framework): CoreFoundation {
  const cf = once(() => functionsOf(library));
  const keys = new Map<string, Ref>();

  function isA(ref: Ref, kind: Kind): boolean {
    const { typeOf, kinds } = cf();
    return typeOf(ref) === kinds[kind];
  }

  function expect(ref: Ref, kind: Kind, what: string): Ref {
    if (!isA(ref, kind)) throw new Error(`${what} is not ${A_KIND[kind]}`);
    return ref;
  }

  function key(name: string): Ref {
    const kept = keys.get(name);
    if (kept !== undefined) return kept;
    const made = cf().createString(null, name, UTF8);
    if (made === null) throw new Error(`no text can be made of ${name}`);
    keys.set(name, made);
    return made;
  }

  function text(ref: Ref, what: string): string {
    expect(ref, 'text', what);
    const { length, mostBytes, getText } = cf();
    const bytes = Buffer.alloc(Number(mostBytes(length(ref), UTF8)) + 1);
    if (getText(ref, bytes, bytes.length, UTF8) === 0)
      throw new Error(`${what} is unreadable text`);
    return bytes.toString('utf8', 0, bytes.indexOf(0));
  }

  function integer(ref: Ref, what: string): number {
    expect(ref, 'number', what);
    const value = new BigInt64Array(1);
    if (cf().getNumber(ref, SINT64, value) === 0) throw new Error(`${what} is no whole number`);
    return Number(value[0]);
  }

  function flag(ref: Ref, what: string): boolean {
    if (isA(ref, 'number')) return integer(ref, what) !== 0;
    return cf().getBoolean(expect(ref, 'boolean', what)) !== 0;
  }

  const fieldsBy: CoreFoundation['fieldsBy'] = (lookup) => ({
    text: (name) => lookup(name, (ref) => text(ref, name)),
    integer: (name) => lookup(name, (ref) => integer(ref, name)),
    flag: (name) => lookup(name, (ref) => flag(ref, name)),
  });

  return {
    scope(use) {
      const { release } = cf();
      const owned: Ref[] = [];
      try {
        return use((ref) => {
          if (ref !== null) owned.push(ref);
          return ref;
        });
      } finally {
        for (const ref of owned.reverse()) release(ref);
      }
    },
    key,
    fieldsBy,
    fields: (dictionary) =>
      fieldsBy((name, convert) => {
        const found = cf().getEntry(dictionary, key(name));
        return found === null ? null : convert(found);
      }),
    text,
    integer,
    items(array, what) {
      const { itemCount, getItem } = cf();
      const count = Number(itemCount(expect(array, 'list', what)));
      return Array.from({ length: count }, (_, i) => getItem(array, i)).filter(
        (item) => item !== null,
      );
    },
    pairs(dictionary, what) {
      const { entryCount, getEntries } = cf();
      const count = Number(entryCount(expect(dictionary, 'dictionary', what)));
      const found = { keys: new BigUint64Array(count), values: new BigUint64Array(count) };
      getEntries(dictionary, found.keys, found.values);
      return Array.from(found.keys, (name, i) => ({
        key: name as Ref,
        value: found.values[i] as Ref,
      }));
    },
    expectDictionary: (ref, what) => expect(ref, 'dictionary', what),
    close() {
      for (const ref of keys.values()) cf().release(ref);
      keys.clear();
    },
  };
}

const A_KIND = {
  text: 'a text',
  number: 'a number',
  boolean: 'a yes or no',
  list: 'a list',
  dictionary: 'a dictionary',
} as const;

type Kind = keyof typeof A_KIND;

/** CFIndex is `long`, CFTypeID `unsigned long`, Boolean one byte. */
function functionsOf({ find }: Framework) {
  const typeId = (name: string) => find<() => number | bigint>(name, 'unsigned long', [])();
  return {
    release: find<(ref: Ref) => void>('CFRelease', 'void', ['void *']),
    typeOf: find<(ref: Ref) => number | bigint>('CFGetTypeID', 'unsigned long', ['void *']),
    kinds: {
      text: typeId('CFStringGetTypeID'),
      number: typeId('CFNumberGetTypeID'),
      boolean: typeId('CFBooleanGetTypeID'),
      list: typeId('CFArrayGetTypeID'),
      dictionary: typeId('CFDictionaryGetTypeID'),
    } satisfies Record<Kind, unknown>,
    createString: find<(allocator: null, text: string, encoding: number) => Ref | null>(
      'CFStringCreateWithCString',
      'void *',
      ['void *', 'str', 'uint32_t'],
    ),
    length: find<(text: Ref) => number | bigint>('CFStringGetLength', 'long', ['void *']),
    mostBytes: find<(length: number | bigint, encoding: number) => number | bigint>(
      'CFStringGetMaximumSizeForEncoding',
      'long',
      ['long', 'uint32_t'],
    ),
    getText: find<(text: Ref, to: Buffer, size: number, encoding: number) => number>(
      'CFStringGetCString',
      'uint8_t',
      ['void *', 'void *', 'long', 'uint32_t'],
    ),
    getNumber: find<(number: Ref, type: number, to: BigInt64Array) => number>(
      'CFNumberGetValue',
      'uint8_t',
      ['void *', 'long', 'void *'],
    ),
    getBoolean: find<(boolean: Ref) => number>('CFBooleanGetValue', 'uint8_t', ['void *']),
    entryCount: find<(dictionary: Ref) => number | bigint>('CFDictionaryGetCount', 'long', [
      'void *',
    ]),
    getEntry: find<(dictionary: Ref, key: Ref) => Ref | null>('CFDictionaryGetValue', 'void *', [
      'void *',
      'void *',
    ]),
    getEntries: find<(dictionary: Ref, keys: BigUint64Array, values: BigUint64Array) => void>(
      'CFDictionaryGetKeysAndValues',
      'void',
      ['void *', 'void *', 'void *'],
    ),
    itemCount: find<(array: Ref) => number | bigint>('CFArrayGetCount', 'long', ['void *']),
    getItem: find<(array: Ref, index: number) => Ref | null>('CFArrayGetValueAtIndex', 'void *', [
      'void *',
      'long',
    ]),
  };
}
