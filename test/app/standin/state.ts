import type { EventEmitter } from 'node:events';

/**
 * What all parts of the stand-in share. It takes the place of the Electron binary, so that the built
 * app runs where no binary can be had: the app's own code under plain Node, its windows as pages of a
 * real Chromium. What it cannot show is listed in docs/on-a-mac.md.
 */

/** Which platform is played; `process.platform` stays what it is. */
export const PLATFORM = (process.env.STANDIN_PLATFORM ?? process.platform) as NodeJS.Platform;
export const MAC = PLATFORM === 'darwin';

/** What the app did that leaves no other trace. */
export const log: { type: string; data?: unknown }[] = [];
export function record(type: string, data?: unknown): void {
  log.push({ type, data });
}

export function fail(message: string): never {
  throw new Error(`stand-in: ${message}`);
}

const life = { ready: false };
export const becomesReady = Promise.withResolvers<void>();
export function isReady(): boolean {
  return life.ready;
}
export function setReady(): void {
  life.ready = true;
  becomesReady.resolve();
}
/** Refuses what Electron allows only after, or only before, the app is ready. */
export function onlyReady(what: string): void {
  if (!life.ready) fail(`${what} cannot be used before the app is ready`);
}
export function onlyBefore(what: string): void {
  if (life.ready) fail(`${what} must be called before the app is ready`);
}

/** An event as Electron passes it first to a listener. */
export class StandinEvent {
  defaultPrevented = false;
  preventDefault(): void {
    this.defaultPrevented = true;
  }
}

export function eventWith<T extends object>(fields: T): StandinEvent & T {
  return Object.assign(new StandinEvent(), fields);
}

/** Emits with an event that a listener may prevent; whether one did. */
export function prevented(emitter: EventEmitter, name: string, ...args: unknown[]): boolean {
  const event = new StandinEvent();
  emitter.emit(name, event, ...args);
  return event.defaultPrevented;
}
