// A stand-in for logind, or for another service by its name, on a private bus: answers from a JSON file, read anew for every call, after
// its delayMs.
// node logind.mjs BUS_ADDRESS STATE_FILE [NAME]; prints "ready" once it owns the name.
import { readFileSync } from 'node:fs';
import koffi from 'koffi';

const [, , address, stateFile, name = 'org.freedesktop.login1'] = process.argv;
const sd = koffi.load('libsystemd.so.0');
const outPointer = koffi.out('void **');
const f = {
  newBus: sd.func('sd_bus_new', 'int', [outPointer]),
  setAddress: sd.func('sd_bus_set_address', 'int', ['void *', 'str']),
  setClient: sd.func('sd_bus_set_bus_client', 'int', ['void *', 'int']),
  start: sd.func('sd_bus_start', 'int', ['void *']),
  requestName: sd.func('sd_bus_request_name', 'int', ['void *', 'str', 'uint64_t']),
  process: sd.func('sd_bus_process', 'int', ['void *', 'void *']),
  wait: sd.func('sd_bus_wait', 'int', ['void *', 'uint64_t']),
  path: sd.func('sd_bus_message_get_path', 'str', ['void *']),
  isCall: sd.func('sd_bus_message_is_method_call', 'int', ['void *', 'str', 'str']),
  readBasic: sd.func('sd_bus_message_read_basic', 'int', ['void *', 'char', outPointer]),
  reply: sd.func('sd_bus_reply_method_return', 'int', ['void *', 'str', '...']),
  replyError: sd.func('sd_bus_reply_method_errorf', 'int', ['void *', 'str', 'str', '...']),
};
const onMessage = koffi.proto('int OnMessage(void *message, void *userdata, void *error)');
const addFilter = sd.func('sd_bus_add_filter', 'int', [
  'void *',
  'void *',
  koffi.pointer(onMessage),
  'void *',
]);

function text(message) {
  const out = [null];
  f.readBasic(message, 's'.charCodeAt(0), out);
  return koffi.decode.string(out[0]);
}

function sendProperty(message, value) {
  switch (typeof value) {
    case 'boolean':
      return f.reply(message, 'v', 'str', 'b', 'int', value ? 1 : 0);
    case 'number':
      return f.reply(message, 'v', 'str', 't', 'uint64_t', BigInt(value));
    default:
      return f.reply(message, 'v', 'str', 's', 'str', value);
  }
}

function answer(message) {
  const { delayMs = 0, ...state } = JSON.parse(readFileSync(stateFile, 'utf8'));
  if (delayMs > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, delayMs);
  if (f.isCall(message, 'org.freedesktop.login1.Manager', 'ListSessions')) {
    const sessions = Object.keys(state).filter((path) => !path.endsWith('/auto'));
    const fields = sessions.flatMap((path, index) => [
      'str',
      `${index}`,
      'uint32_t',
      1000,
      'str',
      'somebody',
      'str',
      'seat0',
      'str',
      path,
    ]);
    return f.reply(message, 'a(susso)', 'unsigned int', sessions.length, ...fields);
  }
  if (f.isCall(message, 'org.gnome.SessionManager', 'GetInhibitors')) {
    const paths = Object.keys(state);
    return f.reply(
      message,
      'ao',
      'unsigned int',
      paths.length,
      ...paths.flatMap((path) => ['str', path]),
    );
  }
  const inhibitor = state[f.path(message)] ?? {};
  if (inhibitor.flags && f.isCall(message, 'org.gnome.SessionManager.Inhibitor', 'GetFlags')) {
    return f.reply(message, 'u', 'uint32_t', inhibitor.flags);
  }
  if (inhibitor.flags && f.isCall(message, 'org.gnome.SessionManager.Inhibitor', 'GetAppId')) {
    return f.reply(message, 's', 'str', inhibitor.app);
  }
  if (f.isCall(message, 'org.freedesktop.DBus.Properties', 'Get')) {
    text(message);
    const value = state[f.path(message)]?.[text(message)];
    if (value !== undefined) return sendProperty(message, value);
    const no = 'Caller does not belong to any known session';
    const code = 'org.freedesktop.login1.NoSessionForPID';
    return f.replyError(message, code, '%s', 'str', no);
  }
  return 0;
}

const slot = [null];
f.newBus(slot);
const bus = slot[0];
f.setAddress(bus, address);
f.setClient(bus, 1);
if (f.start(bus) < 0) process.exit(1);
addFilter(bus, null, koffi.register(answer, koffi.pointer(onMessage)), null);
if (f.requestName(bus, name, 0) < 0) process.exit(2);
process.stdout.write('ready\n');
for (;;) {
  while (f.process(bus, null) > 0);
  f.wait(bus, 1_000_000n);
}
