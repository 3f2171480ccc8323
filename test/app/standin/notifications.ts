import { EventEmitter } from 'node:events';
import { eventWith, MAC, onlyReady, StandinEvent } from './state.ts';

/** Every notification ever shown, in order. */
export const shownNotifications: Notification[] = [];

export class Notification extends EventEmitter {
  readonly options: Electron.NotificationConstructorOptions;
  readonly id: string;
  /** On the screen, or in the notification centre. */
  live = false;

  static isSupported(): boolean {
    return true;
  }

  /** As on macOS; elsewhere Electron has no such method. */
  static async getHistory(): Promise<Notification[]> {
    if (!MAC) throw new TypeError('Notification.getHistory is not a function');
    return shownNotifications.filter((one) => one.live);
  }

  constructor(options: Electron.NotificationConstructorOptions = {}) {
    super();
    onlyReady('Notification');
    this.options = options;
    this.id = options.id || crypto.randomUUID();
  }

  show(): void {
    this.live = true;
    shownNotifications.push(this);
    setImmediate(() => this.emit('show', new StandinEvent()));
  }

  close(): void {
    this.leave('applicationHidden');
  }

  leave(reason: string): void {
    if (!this.live) return;
    this.live = false;
    this.emit('close', eventWith({ reason }));
  }
}
