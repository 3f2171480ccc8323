import type { CoreFoundation, Fields, Ref } from './core-foundation.ts';
import { type Framework, once } from './framework.ts';

/** The registry of the kernel's drivers. */
export interface IoRegistry {
  /** Reads properties of the first service of that class; null where there is none. May throw. */
  inService<T>(className: string, use: (properties: Fields) => T): T | null;
}

/** Called kIOMainPortDefault since macOS 12, and something else before; it is 0. */
const MAIN_PORT = 0;

export function ioRegistry(library: Framework, cf: CoreFoundation): IoRegistry {
  const io = once(() => functionsOf(library));
  return {
    inService(className, use) {
      const { matching, firstService, property, release } = io();
      const dictionary = matching(className);
      if (dictionary === null) throw new Error('the registry cannot be searched');
      // The search uses up the dictionary, so that it is never released here.
      const service = firstService(MAIN_PORT, dictionary);
      if (service === 0) return null;
      const properties = cf.fieldsBy((name, convert) =>
        cf.scope((own) => {
          const found = own(property(service, cf.key(name), null, 0));
          return found === null ? null : convert(found);
        }),
      );
      try {
        return use(properties);
      } finally {
        release(service);
      }
    },
  };
}

/** A service is a port's name: an unsigned number of 32 bits, not a pointer. */
function functionsOf({ find }: Framework) {
  return {
    matching: find<(className: string) => Ref | null>('IOServiceMatching', 'void *', ['str']),
    firstService: find<(port: number, matching: Ref) => number>(
      'IOServiceGetMatchingService',
      'uint32_t',
      ['uint32_t', 'void *'],
    ),
    property: find<(service: number, key: Ref, allocator: null, options: number) => Ref | null>(
      'IORegistryEntryCreateCFProperty',
      'void *',
      ['uint32_t', 'void *', 'void *', 'uint32_t'],
    ),
    release: find<(service: number) => number>('IOObjectRelease', 'int32_t', ['uint32_t']),
  };
}
