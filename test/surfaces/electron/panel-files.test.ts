import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { panelFiles, panelUrl } from '../../../main/surfaces/electron/panel-files.ts';
import { temporaryFolder } from '../../support/store.ts';

function served() {
  const root = temporaryFolder();
  const folder = join(root, 'panel');
  mkdirSync(join(folder, 'assets'), { recursive: true });
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>Lull</title>');
  writeFileSync(join(folder, 'assets', 'app.js'), 'export {}');
  writeFileSync(join(folder, '.sources'), 'secret');
  writeFileSync(join(root, 'secret.txt'), 'secret');
  const answer = panelFiles(folder);
  return (url: string, method = 'GET') => answer(new Request(url, { method }));
}

describe('the panel at its own address', () => {
  it('D10 is served with its type and a policy that reaches nothing', async () => {
    const get = served();
    const page = await get(panelUrl('/now'));
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy.split('; ')).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "script-src 'self'",
        "connect-src 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
      ]),
    );
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
    const script = await get('app://lull/assets/app.js');
    expect(await script.text()).toBe('export {}');
    expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
  });

  it.each([
    'app://lull/../secret.txt',
    'app://lull/%2e%2e/secret.txt',
    'app://lull/..%2fsecret.txt',
    'app://lull/assets/../../secret.txt',
    'app://lull//etc/passwd',
    'app://lull/.sources',
    'app://lull/assets/',
    'app://lull/',
    'app://other/index.html',
  ])('D10 gives nothing for %s', async (url) => {
    const get = served();
    const answer = await get(url);
    expect(answer.status).toBe(404);
    expect(await answer.text()).not.toContain('secret');
  });

  it('D10 is only read', async () => {
    expect((await served()('app://lull/index.html', 'POST')).status).toBe(404);
  });
});
