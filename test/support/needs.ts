import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** What some suites need of the machine, and Debian's package for it. */
const NEEDS = [
  { name: 'chromium', program: 'chromium', suites: 'the panel in a browser' },
  { name: 'xvfb', program: 'Xvfb', suites: 'idle time under X11' },
  { name: 'xdotool', program: 'xdotool', suites: 'idle time under X11' },
  { name: 'gcc', program: 'cc', suites: 'native calls against a C library' },
  { name: 'dbus', program: 'dbus-daemon', suites: 'idle time by logind' },
] as const;

type Need = (typeof NEEDS)[number];

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
  let missing = NEEDS.filter((need) => !program(need.program));
  if (missing.length > 0 && process.getuid?.() === 0 && program('apt-get')) {
    // Without recommended packages the compiler comes without the C library's headers.
    const packages = missing.flatMap(({ name }) => (name === 'gcc' ? [name, 'libc6-dev'] : [name]));
    console.log(`installing for the tests: ${packages.join(', ')}`);
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    const options = { stdio: ['ignore', 'ignore', 'inherit'] as ('ignore' | 'inherit')[], env };
    spawnSync('apt-get', ['-qq', 'update'], options);
    spawnSync('apt-get', ['-qq', 'install', '-y', '--no-install-recommends', ...packages], options);
    missing = NEEDS.filter((need) => !program(need.program));
  }
  return missing;
}
