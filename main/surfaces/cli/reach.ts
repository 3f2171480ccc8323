import { type Clock, sleep } from '../../base/clock.ts';
import { LullError } from '../../base/errors.ts';
import type { Home } from '../../base/home.ts';
import { describeHost, readHostInfo, socketPath } from '../../base/host-file.ts';
import type { CommandInput, CommandName, CommandOutput } from '../contract.ts';
import type { Dispatch } from '../dispatch.ts';
import { connectHost } from '../socket/client.ts';

/** The rooms opened by a command itself, while no host runs. */
export interface Rooms {
  dispatch: Dispatch;
  close(): Promise<void>;
}

/** Opens the rooms; `write` takes the lock and throws LullError host_running when it is held. */
export type OpenRooms = (home: Home, mode: 'read' | 'write') => Promise<Rooms>;

/** Gives one command and returns its answer; throws LullError for a refusal. */
export type Call = <N extends CommandName>(
  command: N,
  input: CommandInput<N>,
) => Promise<CommandOutput<N>>;

export interface Reached {
  call: Call;
  /** Asks the running host itself, beside the commands; throws when there is none. */
  askHost(word: string): Promise<unknown>;
  close(): Promise<void>;
}

/** How long a held lock may stay without anybody answering: a host that starts needs a moment. */
const PATIENCE_MS = 3_000;
const PAUSE_MS = 100;

/**
 * The running host where there is one; otherwise the rooms, read-only or under the lock, as the first
 * command needs it. A lock that is held by somebody who does not answer is refused as host_silent.
 */
export function reach(home: Home, clock: Clock, openRooms: OpenRooms): Reached {
  let opened: (Rooms & { mode: 'host' | 'read' | 'write' }) | null = null;

  async function dispatchFor(command: CommandName): Promise<Dispatch> {
    if (opened?.mode === 'host') return opened.dispatch;
    const end = clock.monotonic() + PATIENCE_MS;
    for (;;) {
      opened ??= await findHost(home, clock);
      if (opened?.mode === 'host') return opened.dispatch;
      const mode = await modeOf(command); // known only by the contract, which takes a while to load
      if (opened && (opened.mode === 'write' || mode === 'read')) return opened.dispatch;
      await opened?.close();
      const rooms = await withoutHost(home, mode, openRooms);
      opened = rooms && { ...rooms, mode };
      if (opened) return opened.dispatch;
      if (clock.monotonic() >= end) throw silent(home);
      await sleep(clock, PAUSE_MS);
    }
  }

  return {
    async call(command, input) {
      const dispatch = await dispatchFor(command);
      return answerIn(await dispatch(command, input)) as never;
    },
    async askHost(word) {
      const host = await findHost(home, clock);
      if (!host) throw new LullError('refused', 'Lull is not running', 'start it with: lull start');
      opened = host;
      return answerIn(await host.dispatch(word, {}));
    },
    async close() {
      await opened?.close();
    },
  };
}

async function findHost(home: Home, clock: Clock) {
  try {
    const client = await connectHost(readHostInfo(home)?.socket ?? socketPath(home), clock);
    return (
      client && {
        mode: 'host' as const,
        dispatch: client.dispatch,
        close: async () => client.close(),
      }
    );
  } catch (error) {
    if (error instanceof LullError && error.code === 'host_silent') throw silent(home);
    throw error;
  }
}

/** Null: the lock is held, so somebody is there after all. */
async function withoutHost(
  home: Home,
  mode: 'read' | 'write',
  openRooms: OpenRooms,
): Promise<Rooms | null> {
  if (mode === 'read') {
    const { isLocked } = await import('../../base/store/lock.ts');
    return isLocked(home) ? null : openRooms(home, mode);
  }
  try {
    return await openRooms(home, mode);
  } catch (error) {
    if (error instanceof LullError && error.code === 'host_running') return null;
    throw error;
  }
}

async function modeOf(command: CommandName): Promise<'read' | 'write'> {
  const { commands } = await import('../contract.ts');
  return commands[command].reads ? 'read' : 'write';
}

function answerIn(reply: Awaited<ReturnType<Dispatch>>): unknown {
  if (reply.ok) return reply.value;
  throw new LullError(reply.code, reply.message, reply.hint);
}

function silent(home: Home): LullError {
  const info = readHostInfo(home);
  return new LullError(
    'host_silent',
    `a Lull${info ? ` (${describeHost(info)})` : ''} holds this folder and does not answer: ${home.dir}`,
    'wait for it, or end that process and try again',
  );
}
