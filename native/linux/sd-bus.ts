import { koffi, openLibrary } from '../library.ts';

/** How long a service on the bus may take to answer. */
const PATIENCE_MICROS = 200_000;
/** How long a call may wait for the next step of the bus's greeting; the call after it waits on. */
const GREETING_MICROS = 50_000;

/** A call that signals interrupt is made this often at most. */
const MOST_TRIES = 10;

/** A connection to a message bus. Every call may throw a sentence; none waits for long. */
export interface MessageBus {
  boolean(object: BusObject, property: string): boolean;
  /** An unsigned 64-bit property; exact up to 2^53. */
  number(object: BusObject, property: string): number;
  text(object: BusObject, property: string): string;
  /** Whether some program on the bus goes by that name. */
  isOwned(name: string): boolean;
  /** Calls a method without arguments that answers with an array of structs; gives their last field. */
  lastFields(object: BusObject, method: string, struct: string): string[];
  /** Calls a method without arguments that answers with an array of object paths. */
  paths(object: BusObject, method: string): string[];
  /** Calls a method without arguments that answers with a text. */
  askText(object: BusObject, method: string): string;
  /** Calls a method without arguments that answers with an unsigned 32-bit number. */
  askNumber(object: BusObject, method: string): number;
  /** False once the bus is gone; the connection is then good for closing only. */
  alive(): boolean;
  close(): void;
}

export interface BusObject {
  service: string;
  path: string;
  interface: string;
}

/** Where the D-Bus specification puts the system bus. */
const WELL_KNOWN = 'unix:path=/run/dbus/system_bus_socket';

/** Connects to the system bus. Throws where there is none. */
export function connectSystemBus(env: NodeJS.ProcessEnv): MessageBus {
  return connect('system', env.DBUS_SYSTEM_BUS_ADDRESS || WELL_KNOWN);
}

/** Connects to the bus of the user's session. Throws where there is none. */
export function connectSessionBus(env: NodeJS.ProcessEnv): MessageBus {
  const { DBUS_SESSION_BUS_ADDRESS: address, XDG_RUNTIME_DIR: runtime } = env;
  if (!address && !runtime) throw new Error('there is no session bus');
  return connect('session', address || `unix:path=${runtime}/bus`);
}

/** By libsystemd; `kind` is for its sentences. */
function connect(kind: 'system' | 'session', address: string): MessageBus {
  const sd = library();
  const bus = sd.open(kind, address);
  sd.limitCalls(bus, PATIENCE_MICROS);
  let lost = false;

  /** Takes in what the bus sends, at first its greeting; false where it is silent before that. */
  function attend(): boolean {
    sd.process(bus);
    while (!sd.isReady(bus)) {
      if (!sd.wait(bus, GREETING_MICROS)) return false;
      sd.process(bus);
    }
    return true;
  }

  function get<T>(read: () => T): T {
    try {
      if (attend()) return read();
    } catch (error) {
      lost ||= !sd.isReady(bus);
      throw error;
    }
    throw new Error(`the ${kind} bus does not answer`);
  }

  return {
    boolean: (object, property) => get(() => sd.boolean(bus, object, property)),
    number: (object, property) => get(() => sd.number(bus, object, property)),
    text: (object, property) => get(() => sd.text(bus, object, property)),
    isOwned: (name) => get(() => sd.isOwned(bus, name)),
    lastFields: (object, method, struct) => get(() => sd.lastFields(bus, object, method, struct)),
    paths: (object, method) => get(() => sd.paths(bus, object, method)),
    askText: (object, method) => get(() => sd.askText(bus, object, method)),
    askNumber: (object, method) => get(() => sd.askNumber(bus, object, method)),
    alive: () => !lost,
    close: () => sd.close(bus),
  };
}

type Pointer = bigint | null;

let opened: ReturnType<typeof openSystemd> | null = null;

function library(): ReturnType<typeof openSystemd> {
  opened ??= openSystemd();
  return opened;
}

function openSystemd() {
  const ffi = koffi();
  const sd = openLibrary('libsystemd.so.0');
  const free = openLibrary('libc.so.6').func('free', 'void', ['void *']);
  const outPointer = ffi.out('void **');
  const newBus = sd.func('sd_bus_new', 'int', [outPointer]);
  const setAddress = sd.func('sd_bus_set_address', 'int', ['void *', 'str']);
  const setClient = sd.func('sd_bus_set_bus_client', 'int', ['void *', 'int']);
  const start = sd.func('sd_bus_start', 'int', ['void *']);
  const isReady = sd.func('sd_bus_is_ready', 'int', ['void *']);
  const processOne = sd.func('sd_bus_process', 'int', ['void *', 'void *']);
  const wait = sd.func('sd_bus_wait', 'int', ['void *', 'uint64_t']);
  const setCallTimeout = sd.func('sd_bus_set_method_call_timeout', 'int', ['void *', 'uint64_t']);
  const closeBus = sd.func('sd_bus_close', 'void', ['void *']);
  const unref = sd.func('sd_bus_unref', 'void *', ['void *']);
  const { EINTR, ENXIO } = ffi.os.errno as Record<'EINTR' | 'ENXIO', number>;
  const nameCreds = sd.func('sd_bus_get_name_creds', 'int', [
    ...['void *', 'str', 'uint64_t', 'void *'],
  ]);
  const freeError = sd.func('sd_bus_error_free', 'void', ['void *']);
  const where = ['void *', 'str', 'str', 'str', 'str', 'void *'];
  const getTrivial = sd.func('sd_bus_get_property_trivial', 'int', [...where, 'char', 'void *']);
  const getString = sd.func('sd_bus_get_property_string', 'int', [...where, outPointer]);
  const callMethod = sd.func('sd_bus_call_method', 'int', [...where, outPointer, 'void *', '...']);
  const enter = sd.func('sd_bus_message_enter_container', 'int', ['void *', 'char', 'str']);
  const exit = sd.func('sd_bus_message_exit_container', 'int', ['void *']);
  const skip = sd.func('sd_bus_message_skip', 'int', ['void *', 'str']);
  const readBasic = sd.func('sd_bus_message_read_basic', 'int', ['void *', 'char', outPointer]);
  const readNumber = sd.func('sd_bus_message_read_basic', 'int', ['void *', 'char', 'void *']);
  const unrefMessage = sd.func('sd_bus_message_unref', 'void *', ['void *']);

  /** Throws for a negative result: by the bus's own sentence where there is one. */
  function check(result: number, said = ''): void {
    if (result < 0)
      throw new Error(said || `the message bus cannot be used (${errorName(-result)})`);
  }

  function errorName(number: number): string {
    const known = Object.entries(ffi.os.errno).find(([, value]) => value === number);
    return known ? known[0] : `error ${number}`;
  }

  /**
   * Calls a getter with room for the bus's error {char *name, char *message, int}. A signal, such as
   * that of a child's end, interrupts the call; it is then made again.
   */
  function get(call: (error: Buffer) => number): void {
    const error = Buffer.alloc(24);
    let result = -EINTR;
    for (let tries = 0; tries < MOST_TRIES && result === -EINTR; tries++) {
      freeError(error);
      result = call(error);
    }
    const message = error.readBigUInt64LE(8);
    const said = result < 0 && message !== 0n ? ffi.decode.string(message) : '';
    freeError(error);
    check(result, said);
  }

  const code = (letter: string): number => letter.charCodeAt(0);

  const at = ({ service, path, interface: face }: BusObject, property: string) =>
    [service, path, face, property] as const;

  /** Calls a method without arguments; what `read` gives of its answer. */
  function ask<T>(bus: Pointer, object: BusObject, method: string, read: (reply: Pointer) => T): T {
    const reply: [Pointer] = [null];
    get((error) => callMethod(bus, ...at(object, method), error, reply, null));
    try {
      return read(reply[0]);
    } finally {
      unrefMessage(reply[0]);
    }
  }

  /** The next text or object path of a message; null where there is none left. */
  function nextText(message: Pointer, type: string): string | null {
    const text: [Pointer] = [null];
    const result: number = readBasic(message, code(type), text);
    check(result);
    return result === 0 ? null : ffi.decode.string(text[0]);
  }

  return {
    open(kind: string, address: string): Pointer {
      const slot: [Pointer] = [null];
      check(newBus(slot));
      const bus = slot[0];
      check(setAddress(bus, address));
      check(setClient(bus, 1));
      const result: number = start(bus);
      if (result >= 0) return bus;
      unref(bus);
      throw new Error(`there is no ${kind} bus (${errorName(-result)})`);
    },
    isReady: (bus: Pointer): boolean => isReady(bus) > 0,
    /** Handles what has come in and what is to go out; does not wait. */
    process(bus: Pointer): void {
      let result: number;
      do {
        result = processOne(bus, null);
        check(result);
      } while (result > 0);
    },
    /** False where nothing happened in that time; a signal counts as something. */
    wait(bus: Pointer, micros: number): boolean {
      const result: number = wait(bus, micros);
      if (result === -EINTR) return true;
      check(result);
      return result > 0;
    },
    limitCalls: (bus: Pointer, micros: number): void => check(setCallTimeout(bus, micros)),
    close(bus: Pointer): void {
      closeBus(bus);
      unref(bus);
    },
    boolean(bus: Pointer, object: BusObject, property: string): boolean {
      const value = Buffer.alloc(4);
      get((error) => getTrivial(bus, ...at(object, property), error, code('b'), value));
      return value.readInt32LE() !== 0;
    },
    number(bus: Pointer, object: BusObject, property: string): number {
      const value = Buffer.alloc(8);
      get((error) => getTrivial(bus, ...at(object, property), error, code('t'), value));
      return Number(value.readBigUInt64LE());
    },
    text(bus: Pointer, object: BusObject, property: string): string {
      const value: [Pointer] = [null];
      get((error) => getString(bus, ...at(object, property), error, value));
      if (value[0] === null) return '';
      const text = ffi.decode.string(value[0]);
      free(value[0]);
      return text;
    },

    /** Asked for no credentials, it tells whether the name has an owner. */
    isOwned(bus: Pointer, name: string): boolean {
      let result: number = nameCreds(bus, name, 0, null);
      for (let tries = 1; tries < MOST_TRIES && result === -EINTR; tries++) {
        result = nameCreds(bus, name, 0, null);
      }
      if (result === -ENXIO) return false;
      check(result);
      return true;
    },
    lastFields(bus: Pointer, object: BusObject, method: string, struct: string): string[] {
      const [before, last] = [struct.slice(0, -1), struct.slice(-1)];
      return ask(bus, object, method, (reply) => {
        const fields: string[] = [];
        check(enter(reply, code('a'), `(${struct})`));
        while (enter(reply, code('r'), struct) > 0) {
          check(skip(reply, before));
          fields.push(nextText(reply, last) ?? '');
          check(exit(reply));
        }
        return fields;
      });
    },
    paths: (bus: Pointer, object: BusObject, method: string): string[] =>
      ask(bus, object, method, (reply) => {
        const paths: string[] = [];
        check(enter(reply, code('a'), 'o'));
        for (let path = nextText(reply, 'o'); path !== null; path = nextText(reply, 'o')) {
          paths.push(path);
        }
        return paths;
      }),
    askText: (bus: Pointer, object: BusObject, method: string): string =>
      ask(bus, object, method, (reply) => nextText(reply, 's') ?? ''),
    askNumber: (bus: Pointer, object: BusObject, method: string): number =>
      ask(bus, object, method, (reply) => {
        const value = Buffer.alloc(4);
        check(readNumber(reply, code('u'), value));
        return value.readUInt32LE();
      }),
  };
}
