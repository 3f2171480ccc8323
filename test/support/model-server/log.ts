/** What the server saw and did, in order; a test looks here instead of believing the client. */
export interface LogEntry {
  /** Wall time, epoch milliseconds. */
  at: number;
  kind:
    | 'request'
    | 'load-start'
    | 'load-end'
    | 'load-abort'
    | 'unload-asked'
    | 'unloaded'
    | 'generation-start'
    | 'generation-end'
    | 'generation-abort'
    | 'disconnect'
    | 'crash'
    | 'restart';
  model?: string;
  method?: string;
  path?: string;
  headers?: Record<string, string>;
  body?: unknown;
  numCtx?: number;
}

export class ServerLog {
  readonly entries: LogEntry[] = [];
  #waiting: (() => void)[] = [];

  add(entry: Omit<LogEntry, 'at'>): void {
    this.entries.push({ at: Date.now(), ...entry });
    for (const wake of this.#waiting.splice(0)) wake();
  }

  of(kind: LogEntry['kind']): LogEntry[] {
    return this.entries.filter((entry) => entry.kind === kind);
  }

  /** Requests to one path, with their bodies. */
  bodies(path: string): Record<string, unknown>[] {
    const requests = this.of('request').filter((entry) => entry.path === path);
    return requests.map((entry) => (entry.body ?? {}) as Record<string, unknown>);
  }

  /** Resolves when there have been so many entries of the kind. */
  async until(kind: LogEntry['kind'], count = 1): Promise<LogEntry> {
    for (;;) {
      const found = this.of(kind)[count - 1];
      if (found) return found;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }
}
