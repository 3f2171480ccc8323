import { known, type Reading, unknown } from '../reading.ts';
import { connectX, type XConnection } from './xcb.ts';

export interface Display {
  read(): { idleSeconds: Reading<number>; displayAsleep: Reading<boolean> };
  close(): void;
}

const SAVER = 'X11 screen saver';
const POWER = 'X11 DPMS';
const HERE = /^(unix)?:\d+(\.\d+)?$/;

/** Major opcodes; null where the server lacks the extension. */
interface Extensions {
  saver: number | null;
  dpms: number | null;
  wayland: boolean;
}

/**
 * The X server of the session: time since the last input, and whether the display is off. Under
 * Wayland it only sees input into X windows and would call a busy owner idle
 * (slgobinath/safeeyes#286), so there it is not believed.
 */
export function xDisplay(env: NodeJS.ProcessEnv): Display {
  let connection: XConnection | null = null;
  let extensions: Extensions | null = null;

  function open(): { connection: XConnection; extensions: Extensions } {
    if (env.WAYLAND_DISPLAY || env.XDG_SESSION_TYPE === 'wayland') throw new Error(WAYLAND);
    if (!env.DISPLAY) throw new Error('DISPLAY is not set, so there is no X server to ask');
    if (!HERE.test(env.DISPLAY)) {
      throw new Error(`display ${env.DISPLAY} may belong to another machine`);
    }
    connection ??= connectX(env.DISPLAY);
    extensions ??= {
      saver: extension(connection, 'MIT-SCREEN-SAVER'),
      dpms: extension(connection, 'DPMS'),
      wayland: extension(connection, 'XWAYLAND') !== null,
    };
    if (extensions.wayland) throw new Error(WAYLAND);
    return { connection, extensions };
  }

  function close(): void {
    connection?.close();
    connection = null;
    extensions = null;
  }

  return {
    read() {
      try {
        const { connection: x, extensions: has } = open();
        return {
          idleSeconds: idleSeconds(x, has.saver),
          displayAsleep: displayAsleep(x, has.dpms),
        };
      } catch (error) {
        const { message } = error as Error;
        if (connection && !connection.alive()) close();
        return { idleSeconds: unknown(SAVER, message), displayAsleep: unknown(POWER, message) };
      }
    },
    close,
  };
}

const WAYLAND = 'under Wayland the X server does not see all input';

function idleSeconds(x: XConnection, opcode: number | null): Reading<number> {
  if (opcode === null) return unknown(SAVER, 'the X server has no MIT-SCREEN-SAVER extension');
  const request = Buffer.alloc(8);
  request.set([opcode, 1]); // QueryInfo of a drawable
  request.writeUInt32LE(x.root, 4);
  return known(SAVER, x.reply(x.send(request)).readUInt32LE(16) / 1000);
}

function displayAsleep(x: XConnection, opcode: number | null): Reading<boolean> {
  if (opcode === null) return unknown(POWER, 'the X server has no DPMS extension');
  const reply = x.reply(x.send(Buffer.from([opcode, 7, 0, 0]))); // Info
  const [level, enabled] = [reply.readUInt16LE(8), reply.readUInt8(10)];
  return known(POWER, enabled !== 0 && level !== 0);
}

/** QueryExtension: the extension's major opcode, or null where the server lacks it. */
function extension(x: XConnection, name: string): number | null {
  const request = Buffer.alloc(8 + Math.ceil(name.length / 4) * 4);
  request.set([98]);
  request.writeUInt16LE(name.length, 4);
  request.write(name, 8, 'latin1');
  const reply = x.reply(x.send(request));
  return reply.readUInt8(8) === 1 ? reply.readUInt8(9) : null;
}
