import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { AWAY, rowsIn, testHome, until } from '../support/host.ts';
import { commandsOf, desktop } from './desktop.ts';

const IN_WORKERS = { workers: { mode: { task: 'worker' } } };

interface Fork {
  modulePath: string;
  args: string[];
  env: Record<string, string>;
  execArgv: string[];
  serviceName: string;
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

it('S4 what a built worker loads holds neither a database nor Electron', () => {
  const dist = join(import.meta.dirname, '..', '..', 'dist');
  const seen = new Set<string>();
  const outside = new Set<string>();
  const follow = (name: string): void => {
    if (seen.has(name)) return;
    seen.add(name);
    const text = readFileSync(join(dist, name), 'utf8');
    for (const [, to = ''] of text.matchAll(/(?:from|import)\s*\(?["'`]([^"'`]+)["'`]/g)) {
      if (to.startsWith('./')) follow(to.slice(2));
      else outside.add(to);
    }
  };
  follow('worker.js');
  expect(seen.size).toBeGreaterThan(1);
  expect([...outside].filter((name) => !name.startsWith('node:'))).toEqual([]);
});

it('S4 in the desktop app a kind of work computes in a utility process, which has nothing of the app', async () => {
  const home = testHome(AWAY, IN_WORKERS);
  const app = await desktop(home, { env: { A_SECRET: 'x' } });
  const call = await commandsOf(home);
  const notes = home.file('notes.txt', 'Vanilla is dear.\n');
  const { job } = await call('jobs.add', { text: 'What do the notes say?', files: [notes] });
  await until(async () => (await call('jobs.show', { id: job })).state === 'done', 30_000);
  expect(rowsIn(home, 'SELECT kind FROM drafts')).toEqual([{ kind: 'text' }]);
  const log = await app.ask('log');
  const forks = log.flatMap(({ type, data }) => (type === 'utility' ? [data as Fork] : []));
  expect(forks).toHaveLength(1);
  const [{ modulePath, args, env, execArgv, serviceName }] = forks as [Fork];
  expect({ entry: basename(modulePath), args, execArgv, serviceName }).toEqual({
    ...{ entry: 'worker.js', args: [], serviceName: 'Lull worker' },
    execArgv: ['--max-old-space-size=768'],
  });
  expect(Object.keys(env)).not.toContain('A_SECRET');
  expect(Object.keys(env)).not.toContain('PATH');
  expect(await app.quit()).toBe(0);
});

it('S4 quit while a worker is at work: the job goes back, and the worker ends with the app', async () => {
  const home = testHome(AWAY, { ...IN_WORKERS, yield: { graceSeconds: 1 } });
  const app = await desktop(home, { env: { LULL_OFFLINE_DELAY_MS: '600000' } });
  const call = await commandsOf(home);
  const { job } = await call('jobs.add', { text: 'What should I know?', files: [] });
  const worker = await app.until('workers', ([pid]) => pid !== undefined);
  await until(async () => (await call('jobs.show', { id: job })).state === 'running');
  expect(await app.quit()).toBe(0);
  expect(worker.filter(isAlive)).toEqual([]);
  expect(rowsIn(home, 'SELECT state, attempts FROM jobs')).toEqual([
    { state: 'queued', attempts: 0 },
  ]);
});

it('S4 a worker that is killed under the app: the job is tried again, and done', async () => {
  const home = testHome(AWAY, IN_WORKERS);
  const app = await desktop(home, { env: { LULL_OFFLINE_DELAY_MS: '1500' } });
  const call = await commandsOf(home);
  const { job } = await call('jobs.add', { text: 'What should I know?', files: [] });
  const [first] = await app.until('workers', ([pid]) => pid !== undefined);
  process.kill(first as number, 'SIGKILL');
  await until(async () => (await call('jobs.show', { id: job })).state === 'done', 30_000);
  expect(rowsIn(home, 'SELECT attempts FROM jobs')).toEqual([{ attempts: 2 }]);
  expect(await app.quit()).toBe(0);
});
