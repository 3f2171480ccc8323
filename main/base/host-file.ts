import { createHash } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Home } from './home.ts';

/** Who holds a data folder, as host.json tells it. */
export interface HostInfo {
  pid: number;
  version: string;
  /** Epoch milliseconds. */
  startedAt: number;
  /** Where the host answers. */
  socket: string;
}

/** The longest path a Unix socket may have here: macOS allows 104 bytes with the closing zero. */
const LONGEST_SOCKET_PATH = 100;

/**
 * Where the host of a data folder listens: host.sock in the folder, or, where that path is too long
 * for a socket, a name made from it in a folder of the runtime that only its owner can enter.
 */
export function socketPath(home: Home, env: NodeJS.ProcessEnv = process.env): string {
  if (Buffer.byteLength(home.socket) <= LONGEST_SOCKET_PATH) return home.socket;
  const digest = createHash('sha256').update(home.socket).digest('hex').slice(0, 24);
  const own = `lull-${process.getuid?.() ?? 0}`;
  const folders = [tmpdir(), '/tmp'].map((folder) => join(folder, own));
  if (env.XDG_RUNTIME_DIR) folders.unshift(join(env.XDG_RUNTIME_DIR, 'lull'));
  const paths = folders.map((folder) => join(folder, `${digest}.sock`));
  return paths.find((path) => Buffer.byteLength(path) <= LONGEST_SOCKET_PATH) as string;
}

/**
 * What host.json says, or null where it says nothing. It may be older than the lock: only while the
 * lock is held does it speak of a living host.
 */
export function readHostInfo(home: Home): HostInfo | null {
  try {
    const { pid, version, startedAt, socket } = JSON.parse(readFileSync(home.hostFile, 'utf8'));
    const sound =
      Number.isSafeInteger(pid) &&
      pid > 0 &&
      typeof version === 'string' &&
      Number.isSafeInteger(startedAt) &&
      typeof socket === 'string';
    return sound ? { pid, version, startedAt, socket } : null;
  } catch {
    return null;
  }
}

/** Replaces host.json at once; only the holder of the lock may. Throws what the disk throws. */
export function writeHostInfo(home: Home, info: HostInfo): void {
  const temporary = `${home.hostFile}.${info.pid}.tmp`;
  try {
    writeFileSync(temporary, `${JSON.stringify(info)}\n`, { mode: 0o600 });
    renameSync(temporary, home.hostFile);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

export function removeHostInfo(home: Home): void {
  rmSync(home.hostFile, { force: true });
}

/** `pid 41, version 1.2.0, since 2026-05-01 08:00:00` (local time), for messages. */
export function describeHost(info: HostInfo): string {
  const since = new Date(info.startedAt).toLocaleString('sv-SE');
  return `pid ${info.pid}, version ${info.version}, since ${since}`;
}
