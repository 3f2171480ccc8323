import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Clock, systemClock } from '../../../main/base/clock.ts';
import { resolveHome } from '../../../main/base/home.ts';
import { nostrLock } from '../../../main/work/roster/lock/nostr-lock.ts';
import type { RosterLock } from '../../../main/work/roster/lock/port.ts';
import type { LockOptions } from '../../../main/work/roster/lock/session.ts';
import type { LockSettings } from '../../../main/work/roster/repository/config.ts';
import { temporaryFolder } from '../store.ts';
import { AGENTS, settingsOf } from './asking.ts';
import { type FaultProxy, type Faults, faultProxy } from './fault-proxy.ts';
import { startRelay, type TestRelay } from './relay.ts';

/** Relays of one test, gone after it. */
export async function relays(count: number): Promise<TestRelay[]> {
  const started = await Promise.all(Array.from({ length: count }, () => startRelay()));
  onTestFinished(async () => void (await Promise.all(started.map((relay) => relay.close()))));
  return started;
}

/** Each relay behind a proxy of its own. */
export async function proxied(
  count: number,
  faults: Faults = {},
): Promise<{ relays: TestRelay[]; proxies: FaultProxy[] }> {
  const started = await relays(count);
  const proxies = await Promise.all(started.map((relay) => faultProxy(relay.url, { ...faults })));
  onTestFinished(async () => void (await Promise.all(proxies.map((proxy) => proxy.close()))));
  return { relays: started, proxies };
}

/** One machine: a home and a clone of its own. */
export interface Machine {
  lock: RosterLock;
  options: LockOptions;
}

export function machine(
  urls: string[],
  changes: Partial<LockSettings> = {},
  around: Partial<LockOptions> & { clock?: Clock } = {},
): Machine {
  const options: LockOptions = {
    root: temporaryFolder(),
    home: resolveHome(temporaryFolder()),
    clock: systemClock(),
    env: {},
    settings: settingsOf(urls, changes),
    roster: { daily: AGENTS, weekly: AGENTS },
    paused: { daily: [], weekly: [] },
    ...around,
  };
  return { lock: nostrLock(options), options };
}

/** The same machine in another process: what it knows comes from its home alone. */
export function again({ options }: Machine, changes: Partial<LockSettings> = {}): Machine {
  const next = { ...options, settings: { ...options.settings, ...changes } };
  return { lock: nostrLock(next), options: next };
}

/** Writes a file of a repository. */
export function put(root: string, name: string, content: string): void {
  const path = join(root, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}
