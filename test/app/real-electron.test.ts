import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { _electron } from 'playwright-core';
import { expect, it } from 'vitest';
import { testHome } from '../support/host.ts';

const ROOT = join(import.meta.dirname, '..', '..');

/** Electron's own binary, where it was fetched; null otherwise. */
function realElectron(): string | null {
  const folder = join(ROOT, 'node_modules', 'electron');
  const named = join(folder, 'path.txt');
  if (!existsSync(named)) return null;
  const program = join(folder, 'dist', readFileSync(named, 'utf8'));
  return existsSync(program) ? program : null;
}

const binary = realElectron();
const screen = process.platform === 'darwin' || Boolean(process.env.DISPLAY);
const lacking = binary ? (screen ? null : 'no screen') : 'no Electron binary: npx install-electron';

it.skipIf(lacking)(
  `D1 D10 the app runs in a real Electron: sandboxed, isolated, at its own address${lacking ? ` (skipped: ${lacking})` : ''}`,
  async () => {
    const home = testHome();
    const asRoot = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
    const app = await _electron.launch({
      executablePath: binary as string,
      args: [...asRoot, ROOT, '--model', 'offline', '--facts', home.factsFile],
      env: { ...(process.env as Record<string, string>), LULL_HOME: home.dir },
    });
    try {
      const page = await app.firstWindow(); // warmed while hidden
      await page.waitForSelector('h1');
      expect(page.url()).toBe('app://lull/index.html#/now');
      const seen = await page.evaluate(() => ({
        origin: location.origin,
        secure: isSecureContext,
        names: ['require', 'process', 'module', 'Buffer', 'global'].filter(
          (name) => name in window,
        ),
        // A page cannot reach what the preload script holds, nor change what it was handed.
        frozen: Object.isFrozen((window as unknown as { lull: object }).lull),
        keys: Object.keys((window as unknown as { lull: object }).lull),
      }));
      expect(seen).toEqual({
        ...{ origin: 'app://lull', secure: true, names: [], frozen: true },
        keys: ['call', 'follow'],
      });
      const main = await app.evaluate(({ app: electron, BrowserWindow }) => ({
        windows: BrowserWindow.getAllWindows().map(({ webContents }) => {
          // Electron's own tests read it; its types leave it out.
          type Told = { getLastWebPreferences(): Record<string, unknown> };
          const told = (webContents as unknown as Told).getLastWebPreferences();
          return [told.sandbox, told.contextIsolation, told.nodeIntegration ?? false];
        }),
        data: electron.getPath('userData'),
      }));
      expect(main).toEqual({ windows: [[true, true, false]], data: join(home.dir, 'desktop') });
      const exited = new Promise((resolve) => app.process().once('exit', resolve));
      await app.evaluate(({ app: electron }) => setTimeout(() => electron.quit(), 0));
      expect(await exited).toBe(0);
    } finally {
      await app.close().catch(() => {});
    }
  },
  60_000,
);
