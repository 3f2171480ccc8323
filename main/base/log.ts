import { closeSync, mkdirSync, openSync, readdirSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import type { Clock } from './clock.ts';

/** What happened, for whoever looks later. Never throws, and holds no secret. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  /** Takes over changed settings. */
  configure(settings: LogSettings): void;
  close(): void;
}

export interface LogSettings {
  level: 'debug' | 'info' | 'warn' | 'error';
  /** Days of files that are kept, today's among them. */
  keepDays: number;
}

export interface LogOptions extends LogSettings {
  /** The folder of the day files. */
  dir: string;
  clock: Pick<Clock, 'now'>;
  /** Also gets each line, for a host that runs in a terminal. */
  echo?: ((line: string) => void) | undefined;
  /** Takes known secrets out of each line. */
  scrub?: (line: string) => string;
}

const SECRETS = ['token', 'secret', 'password', 'authorization', 'cookie', 'apiKey'];
const DAY_FILE = /^(\d{4}-\d{2}-\d{2})\.log$/;

/**
 * Opens the log: one file of JSON lines a local day, `YYYY-MM-DD.log`, written at once, so that a
 * killed host leaves its last word. Files older than `keepDays` go when a new day begins. A full disk
 * or a vanished folder loses lines, nothing else.
 */
export function openLog(options: LogOptions): Log {
  const days = dayFiles(options.dir, options.keepDays);
  const logger = pino(
    {
      level: options.level,
      base: { pid: process.pid },
      timestamp: () => `,"time":${options.clock.now()}`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { error: pino.stdSerializers.err },
      redact: { paths: SECRETS.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]) },
    },
    {
      write(line: string) {
        const scrubbed = options.scrub?.(line) ?? line;
        const clean = scrubbed.replace(/([?&#]token=|Bearer )[\w.~+/-]+/g, '$1[Redacted]');
        days.write(clean, options.clock.now());
        options.echo?.(clean);
      },
    },
  );
  return {
    debug: (fields, message) => logger.debug(fields, message),
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
    configure(settings) {
      logger.level = settings.level;
      days.keep(settings.keepDays);
    },
    close: () => days.close(),
  };
}

interface DayFiles {
  write(line: string, now: number): void;
  keep(days: number): void;
  close(): void;
}

function dayFiles(dir: string, keepDays: number): DayFiles {
  let day = '';
  let handle: number | null = null;
  let closed = false;

  function turnTo(next: string): void {
    close();
    day = next;
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    handle = openSync(join(dir, `${day}.log`), 'a', 0o600);
    prune();
  }

  function prune(): void {
    const [year, month, date] = day.split('-').map(Number) as [number, number, number];
    const oldest = localDay(new Date(year, month - 1, date - keepDays + 1));
    for (const name of readdirSync(dir)) {
      const found = name.match(DAY_FILE)?.[1];
      if (found && found < oldest) rmSync(join(dir, name), { force: true });
    }
  }

  function close(): void {
    if (handle !== null) closeSync(handle);
    handle = null;
  }

  return {
    write(line, now) {
      if (closed) return;
      try {
        const today = localDay(new Date(now));
        if (today !== day || handle === null) turnTo(today);
        if (handle !== null) writeSync(handle, line);
      } catch {
        // a log that cannot be written must not stop what it would tell of
      }
    },
    keep(days) {
      keepDays = days;
    },
    close() {
      closed = true;
      close();
    },
  };
}

function localDay(date: Date): string {
  const two = (part: number) => String(part).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
