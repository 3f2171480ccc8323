import { chmodSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/** Where everything Lull keeps lives; every path of the data folder is named here once. */
export interface Home {
  readonly dir: string;
  readonly config: string;
  readonly database: string;
  readonly lock: string;
  /** What this machine knows of the locks on roster agents; several processes may use it at once. */
  readonly roster: string;
  readonly hostFile: string;
  readonly socket: string;
  /** The panel's port and who was let in. */
  readonly panelDoor: string;
  readonly secrets: string;
  readonly backups: string;
  /** Databases that were replaced, damaged or not; nothing here is ever removed by Lull. */
  readonly setAside: string;
  /** What the owner wrote out. */
  readonly exports: string;
  /** A restore that is under way. */
  readonly restorePlan: string;
  readonly logs: string;
  readonly orders: string;
  /** Working trees of cycles, and their logs. */
  readonly cycles: string;
}

/** The data folder: `explicit`, else LULL_HOME, else the platform's place for application data. */
export function resolveHome(
  explicit?: string,
  env: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
): Home {
  const dir = resolve((explicit ?? env.LULL_HOME) || defaultDir(env, platform));
  return {
    dir,
    config: join(dir, 'config.json'),
    database: join(dir, 'lull.sqlite'),
    lock: join(dir, 'lock.sqlite'),
    roster: join(dir, 'roster.sqlite'),
    hostFile: join(dir, 'host.json'),
    socket: join(dir, 'host.sock'),
    panelDoor: join(dir, 'panel.json'),
    secrets: join(dir, 'secrets.json'),
    backups: join(dir, 'backups'),
    setAside: join(dir, 'set-aside'),
    exports: join(dir, 'exports'),
    restorePlan: join(dir, 'restore.json'),
    logs: join(dir, 'logs'),
    orders: join(dir, 'orders'),
    cycles: join(dir, 'cycles'),
  };
}

function defaultDir(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): string {
  if (platform === 'darwin') return join(homedir(), 'Library', 'Application Support', 'Lull');
  return join(env.XDG_DATA_HOME || join(homedir(), '.local', 'share'), 'lull');
}

/** Creates the data folder and its sub-folders, readable by the owner only (0700). */
export function createHome(home: Home): void {
  for (const dir of [home.dir, home.backups, home.logs, home.orders]) {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
  }
  chmodSync(home.dir, 0o700);
}
