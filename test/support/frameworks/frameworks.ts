import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import koffi from 'koffi';
import { program } from '../needs.ts';

const CC = program('cc');

/** Why the stand-in for Apple's frameworks cannot be built here; null where it can. */
export const NO_FRAMEWORKS = whyNot();

function whyNot(): string | null {
  if (process.platform !== 'linux') return 'only on Linux';
  if (!CC) return 'no C compiler (cc)';
  const { status } = spawnSync(CC, ['-E', '-'], { input: '#include <stdio.h>\n' });
  return status === 0 ? null : 'no headers of the C library (libc6-dev)';
}

/** The stand-in for all of the frameworks, in one library, with its controls. */
export interface Frameworks {
  path: string;
  /** Every function it exports under one of Apple's names. */
  names: readonly string[];
  /** The path of the same library without one of its functions. */
  without(name: string): string;
  controls(path?: string): Controls;
}

export interface Controls {
  /** Sets what the functions answer from now on. */
  stage(state: object): void;
  /** Forgets the counts, the open ports and what was told to CoreAudio. */
  reset(): void;
  /** References, ports and files that were given to the caller and not given back. */
  outstanding(): number;
  /** How often the path of a process was asked for. */
  pathReads(): number;
  /** Name and seconds of each hold against sleep. */
  held(): string[];
  /** The first thing done to it that would be a fault or a crash on macOS; empty where there is none. */
  misuse(): string;
}

const FLAGS = ['-std=gnu11', '-Wall', '-Wextra', '-Wno-parentheses'];

/** Compiles the stand-in into a folder, which takes about a second. */
export function buildFrameworks(dir: string): Frameworks {
  const cc = CC as string;
  const sources = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.c'));
  const paths = sources.map((name) => join(import.meta.dirname, name));
  mkdirSync(dir, { recursive: true });
  execFileSync(cc, [...FLAGS, '-O1', '-fPIC', '-fvisibility=hidden', '-c', ...paths], {
    cwd: dir,
  });
  const objects = sources.map((name) => name.replace(/c$/, 'o'));
  const link = (name: string, ...flags: string[]): string => {
    // It depends on no other library, so that none of those can fill in for a missing function.
    const options = ['-shared', '-nodefaultlibs', ...flags, ...objects];
    execFileSync(cc, [...options, '-o', name], { cwd: dir });
    return join(dir, name);
  };
  const path = link('frameworks.so');
  const texts = paths.map((path) => readFileSync(path, 'utf8')).join('\n');
  const names = [...texts.matchAll(/^EXPORT [^(]*?(\w+)\(/gm)].map(([, name]) => name as string);
  return {
    path,
    names: names.filter((name) => !name.startsWith('standin_')),
    without(name) {
      const script = join(dir, `without-${name}.map`);
      writeFileSync(script, `{ global: *; local: ${name}; };\n`);
      return link(`without-${name}.so`, `-Wl,--version-script=${script}`);
    },
    controls: (of = path) => controlsOf(of),
  };
}

function controlsOf(path: string): Controls {
  const library = koffi.load(path);
  const stage = library.func('standin_stage', 'int', ['str']);
  const reset = library.func('standin_reset', 'void', []);
  const given = library.func('standin_given', 'long', []);
  const released = library.func('standin_released', 'long', []);
  const pathReads = library.func('standin_path_reads', 'int', []);
  const misuse = library.func('standin_misuse', 'str', []);
  const held = library.func('standin_held', 'str', []);
  return {
    stage(state) {
      if (stage(JSON.stringify(state)) !== 0) throw new Error('the stage cannot be read');
    },
    reset: () => reset(),
    outstanding: () => given() - released(),
    pathReads: () => pathReads(),
    held: () => held().split('\n').filter(Boolean),
    misuse: () => misuse(),
  };
}
