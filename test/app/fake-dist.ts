import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import electron from 'electron/package.json' with { type: 'json' };

const START = join(import.meta.dirname, 'standin', 'start.ts');

/**
 * The fuse wire of Electron's binary: its sentinel, version 1, nine fuses at their defaults
 * (@electron/fuses). In a comment, so that what electron-builder flips there can be read and the
 * stand-in still runs. That a real binary obeys its fuses, it does not show.
 */
const WIRE = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX\u0001\u0009101100011';

/** A folder that electron-builder takes for Electron on Linux, with the stand-in as its program. */
export function fakeDist(folder: string): void {
  mkdirSync(folder, { recursive: true });
  const program = `#!/usr/bin/env node\nimport(${JSON.stringify(START)});\n//${WIRE}\n`;
  writeFileSync(join(folder, 'electron'), program);
  chmodSync(join(folder, 'electron'), 0o755);
  writeFileSync(join(folder, 'version'), electron.version);
}

const HELPERS = ['', ' (GPU)', ' (Plugin)', ' (Renderer)'];

/** The same for macOS: a bundle with what electron-builder renames, and the wire where it looks for it. */
export function fakeMacDist(folder: string): void {
  const contents = join(folder, 'Electron.app', 'Contents');
  const frameworks = join(contents, 'Frameworks');
  bundle(contents, 'Electron', 'com.github.Electron');
  for (const kind of HELPERS) {
    const helper = `Electron Helper${kind}`;
    bundle(join(frameworks, `${helper}.app`, 'Contents'), helper, 'com.github.Electron.helper');
  }
  const framework = join(frameworks, 'Electron Framework.framework');
  mkdirSync(framework, { recursive: true });
  writeFileSync(join(framework, 'Electron Framework'), WIRE);
  mkdirSync(join(contents, 'Resources'), { recursive: true });
  writeFileSync(join(folder, 'version'), electron.version);
}

function bundle(contents: string, name: string, id: string): void {
  mkdirSync(join(contents, 'MacOS'), { recursive: true });
  writeFileSync(join(contents, 'MacOS', name), '#!/bin/sh\n', { mode: 0o755 });
  const entries = { CFBundleExecutable: name, CFBundleName: name, CFBundleIdentifier: id };
  const lines = Object.entries(entries).map(
    ([key, value]) => `<key>${key}</key><string>${value}</string>`,
  );
  writeFileSync(
    join(contents, 'Info.plist'),
    `<?xml version="1.0" encoding="UTF-8"?>\n<plist version="1.0"><dict>${lines.join('')}</dict></plist>\n`,
  );
}
