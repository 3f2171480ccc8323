import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };

/** The lines of Electron's security checklist that are proved in the sources and in what is built of them. */
const ROOT = join(import.meta.dirname, '..', '..');
const SURFACE = join(ROOT, 'main', 'surfaces', 'electron');

const sources = readdirSync(SURFACE).map((name) => readFileSync(join(SURFACE, name), 'utf8'));
const built = (name: string) => readFileSync(join(ROOT, 'dist', name), 'utf8');

describe('static', () => {
  it('D10 security 6, 8-10: no switch of Chromium is loosened', () => {
    const loose =
      /webSecurity|allowRunningInsecureContent|experimentalFeatures|enableBlinkFeatures|webviewTag|appendSwitch|bypassCSP|nodeIntegrationIn/;
    expect(sources.filter((text) => loose.test(text))).toEqual([]);
  });

  it('D10 security 11: no page holds another by a webview, so none may open windows by one', () => {
    const panel = readdirSync(join(ROOT, 'dist', 'renderer', 'assets'))
      .filter((name) => name.endsWith('.js'))
      .map((name) => built(join('renderer', 'assets', name)));
    expect(panel.length).toBeGreaterThan(0);
    const texts = [...sources, ...panel, built(join('renderer', 'index.html'))];
    expect(
      texts.filter((text) => /<webview|allowpopups|createElement\(.webview/i.test(text)),
    ).toEqual([]);
  });

  it('D10 security 15: nothing is opened in another program by a page', () => {
    expect(sources.filter((text) => /openExternal|openPath|\bshell\b/.test(text))).toEqual([]);
  });

  it('D10 security 16: the version of Electron is the pinned one', () => {
    expect(manifest.devDependencies.electron).toMatch(/^45\.\d+\.\d+$/);
  });

  it('D10 security 18: no page comes from a file', () => {
    expect(sources.filter((text) => /loadFile|file:\/\//.test(text))).toEqual([]);
  });

  it('D10 security 20: the preload script is one file, needs Electron alone, and hands out two functions', () => {
    const preload = built('preload.cjs');
    expect([...preload.matchAll(/require\(["'`]([^"'`]+)/g)].map(([, name]) => name)).toEqual([
      'electron',
    ]);
    expect(preload.length).toBeLessThan(1000);
    expect(preload.match(/exposeInMainWorld/g)).toHaveLength(1);
  });

  it('D10 the panel has no inline script, style or remote address that its policy would have to allow', () => {
    const built = readFileSync(join(ROOT, 'dist', 'renderer', 'index.html'), 'utf8');
    // Data that no browser runs, for which no policy is asked; a host fills it, the app leaves it empty.
    const data = '<script type="application/json" id="first"></script>';
    expect(built.split(data)).toHaveLength(2);
    const page = built.replace(data, '');
    expect(page).not.toMatch(/<script(?![^>]*\bsrc=)|<style| on\w+=|https?:/);
  });
});
