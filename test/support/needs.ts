import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

interface Need {
  /** Debian's package. */
  readonly name: string;
  readonly program: string;
  /** What does as well, where it is there already or the package is not. */
  readonly instead?: string;
  readonly suites: string;
}

/** What some suites need of the machine. */
const NEEDS: readonly Need[] = [
  {
    ...{ name: 'chromium-headless-shell', program: 'chromium-headless-shell' },
    ...{ instead: 'chromium', suites: 'the panel in a browser, and the app' },
  },
  { name: 'xvfb', program: 'Xvfb', suites: 'idle time under X11' },
  { name: 'xdotool', program: 'xdotool', suites: 'idle time under X11' },
  { name: 'gcc', program: 'cc', suites: 'native calls against a C library' },
  { name: 'dbus', program: 'dbus-daemon', suites: 'idle time by logind' },
];

/** The path of a program, or null where it is not installed. */
export function program(name: string): string | null {
  for (const dir of (process.env.PATH ?? '').split(delimiter)) {
    const path = join(dir, name);
    if (dir && existsSync(path)) return path;
  }
  return null;
}

/** Installs what is missing where that is ours to do (root on Debian); returns what still is. */
export function provide(): Need[] {
  const missing = NEEDS.filter((need) => !program(need.program));
  if (missing.length > 0 && process.getuid?.() === 0 && program('apt-get')) {
    // Without recommended packages the compiler comes without the C library's headers.
    const packages = missing.flatMap(({ name }) => (name === 'gcc' ? [name, 'libc6-dev'] : [name]));
    console.log(`installing for the tests: ${packages.join(', ')}`);
    apt('update');
    // An older Debian has not all of them, and would install none.
    if (!apt('install', ...packages)) for (const one of packages) apt('install', one);
    for (const { instead } of NEEDS.filter(isMissing)) if (instead) apt('install', instead);
  }
  return NEEDS.filter(isMissing);
}

function isMissing({ program: name, instead }: Need): boolean {
  return !program(name) && !(instead && program(instead));
}

function apt(command: 'update' | 'install', ...packages: string[]): boolean {
  const options = command === 'install' ? ['-y', '--no-install-recommends'] : [];
  const { status } = spawnSync('apt-get', ['-qq', command, ...options, ...packages], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
  return status === 0;
}
