import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { basename, dirname } from 'node:path';
import { Dead } from './disk.ts';
import type { World } from './world.ts';

const ORDER = /^\d+\.(csv|md)$/;
let world: World | null = null;
let isIn = false;

/**
 * Sees each order file as it is put in place, and lets that go wrong: the disk is full, or the host
 * dies before it or after it. It stands at the file system's own functions, as the engine calls them.
 */
export function watchOrders(next: World | null): void {
  world = next;
  if (isIn) return;
  isIn = true;
  const { renameSync } = fs;
  fs.renameSync = (from, to) => {
    const file = basename(String(to));
    const mine = world && dirname(String(to)) === world.hosts.home.orders && ORDER.test(file);
    if (!world || !mine) return renameSync(from, to);
    const chance = world.random(`order ${world.trace.steps}`).next();
    if (world.hosts.diskFault === 'full' || chance < 0.04)
      throw Object.assign(new Error('ENOSPC (simulated)'), { code: 'ENOSPC' });
    if (chance < 0.08) die();
    renameSync(from, to);
    world.effect({ kind: 'order', file, content: fs.readFileSync(to, 'utf8') });
    if (chance > 0.96) die();
  };
  // A real look at the disk takes a real moment, which no run would repeat.
  fs.promises.realpath = (async (path: string) =>
    fs.realpathSync(path)) as unknown as typeof fs.promises.realpath;
  syncBuiltinESMExports();
}

function die(): never {
  if (world && !world.isEnding) world.hosts.crash();
  throw new Dead();
}
