import childProcess from 'node:child_process';
import cluster from 'node:cluster';
import dgram from 'node:dgram';
import dns from 'node:dns';
import module from 'node:module';
import net from 'node:net';
import threads from 'node:worker_threads';

/**
 * Closes what a worker has no business with: other programs and threads, other processes, databases,
 * native code, listening, and every address but the loopback and the configured model servers. It is
 * a guard against mistakes in our own code and in the libraries it uses, not a sandbox: who sets out
 * to pass it will. (Under plain Node the switches of node-workers.ts stand behind the first of these.)
 */
export function closeDoors(): { allow(servers: readonly string[]): void } {
  let servers: ReadonlySet<string> = new Set();
  const isAllowed = (host: string, port: number | null): boolean =>
    isLoopback(host) ||
    (port === null
      ? [...servers].some((server) => server.startsWith(`${host}:`))
      : servers.has(`${host}:${port}`));

  for (const name of ['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'fork'])
    refuse(childProcess, name, 'start a program');
  refuse(childProcess.ChildProcess.prototype, 'spawn', 'start a program');
  refuse(cluster, 'fork', 'start a program');
  refuse(threads, 'Worker', 'start a thread');
  const sqlite = process.getBuiltinModule('node:sqlite') ?? {};
  for (const name of ['DatabaseSync', 'backup']) refuse(sqlite, name, 'open a database');
  refuse(process, 'dlopen', 'load native code');
  for (const name of ['binding', '_linkedBinding']) refuse(process, name, 'reach into Node');
  refuse(net.Server.prototype, 'listen', 'listen');
  refuse(dgram, 'createSocket', 'send datagrams');
  refuse(dgram.Socket.prototype, 'send', 'send datagrams');

  const kill = process.kill.bind(process);
  process.kill = (pid, signal) => {
    if (pid !== process.pid) throw new DoorClosed('signal another process');
    return kill(pid, signal);
  };

  // Every stream socket connects here: of HTTP and of TLS, by an address or by a path.
  const { connect } = net.Socket.prototype;
  net.Socket.prototype.connect = function (this: net.Socket, ...args: unknown[]) {
    const target = targetOf(args);
    if (!target || !isAllowed(target.host, target.port)) {
      throw new DoorClosed(`reach ${target ? `${target.host}:${target.port}` : 'a local socket'}`);
    }
    return Reflect.apply(connect, this, args);
  } as typeof connect;

  // A name that is looked up leaves the machine too.
  for (const names of [
    dns,
    dns.promises,
    dns.Resolver.prototype,
    dns.promises.Resolver.prototype,
  ]) {
    for (const name of Object.getOwnPropertyNames(names)) {
      if (/^(resolve|reverse|lookupService)/.test(name)) refuse(names, name, 'ask for a name');
    }
  }
  for (const names of [dns, dns.promises] as { lookup: (...args: unknown[]) => unknown }[]) {
    const { lookup } = names;
    names.lookup = (...args) => {
      if (!isAllowed(bare(String(args[0])), null)) throw new DoorClosed(`ask for ${args[0]}`);
      return Reflect.apply(lookup, names, args);
    };
  }
  module.syncBuiltinESMExports();
  return {
    allow(next) {
      servers = new Set(next);
    },
  };
}

class DoorClosed extends Error {
  constructor(what: string) {
    super(`a worker may not ${what}`);
    this.name = 'DoorClosed';
  }
}

function refuse(holder: object, name: string, what: string): void {
  if (!(name in holder)) return;
  Object.defineProperty(holder, name, {
    configurable: false,
    writable: false,
    value: function refused(): never {
      throw new DoorClosed(what);
    },
  });
}

/** Host and port of the arguments of `connect`; null for a path, or for none. */
function targetOf(args: readonly unknown[]): { host: string; port: number } | null {
  // Node's own callers hand over what they have already sorted, as one array.
  const [first, second] = Array.isArray(args[0]) ? args[0] : args;
  if (typeof first === 'object' && first !== null) {
    const { host, port, path } = first as { host?: string; port?: unknown; path?: unknown };
    return path == null && port != null
      ? { host: bare(host ?? 'localhost'), port: Number(port) }
      : null;
  }
  if (!/^\d+$/.test(String(first))) return null;
  return { host: bare(typeof second === 'string' ? second : 'localhost'), port: Number(first) };
}

function bare(host: string): string {
  return host.replace(/^\[|\]$/g, '').toLowerCase();
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (net.isIPv4(host) && host.startsWith('127.'));
}
