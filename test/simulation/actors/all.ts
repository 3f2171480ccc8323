import type { Actor } from './actor.ts';
import { clockTrouble, crashes, diskTrouble, killers, restarts } from './faults.ts';
import { idleSleep, owner, signs } from './owner.ts';
import { rush, shop } from './shop.ts';
import { serverTrouble, surroundings } from './surroundings.ts';

/** Everyone who takes part, in the order in which they begin. */
export const ACTORS: readonly Actor[] = [
  shop,
  rush,
  owner,
  idleSleep,
  signs,
  surroundings,
  serverTrouble,
  crashes,
  killers,
  restarts,
  diskTrouble,
  clockTrouble,
];
