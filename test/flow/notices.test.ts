import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../main/base/clock.ts';
import { connectHost } from '../../main/surfaces/socket/client.ts';
import { callOf, hostThere, testHome, until } from '../support/host.ts';
import { temporaryFolder } from '../support/store.ts';

const HERE = { idleSeconds: 3, powerSource: 'mains' };

/** A `notify-send` that writes down what it was to show, one line of JSON a notice. */
function fakeNotifySend() {
  const folder = temporaryFolder();
  const said = join(folder, 'said');
  const program = join(folder, 'notify-send');
  writeFileSync(
    program,
    `#!${process.execPath}\nrequire('node:fs').appendFileSync(${JSON.stringify(said)}, JSON.stringify(process.argv.slice(2)) + '\\n');\n`,
  );
  chmodSync(program, 0o755);
  const shown = (): string[][] =>
    existsSync(said)
      ? readFileSync(said, 'utf8')
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line))
      : [];
  return { folder, shown };
}

async function living(path: string, config = {}) {
  const home = testHome(HERE, config);
  const host = await hostThere(home, {
    args: ['--facts', home.factsFile, '--model', 'offline'],
    env: { PATH: path },
  });
  const client = await connectHost(home.socket, systemClock());
  if (!client) throw new Error('no host answers');
  return { home, host, call: callOf(client.dispatch), close: () => client.close() };
}

describe.runIf(process.platform === 'linux')('notices of a host without the app', () => {
  it('D3 a draft is told of once, by the words of its title and nothing they could mean to a shell', async () => {
    const { folder, shown } = fakeNotifySend();
    const { call, host, close } = await living(`${folder}:${process.env.PATH}`);
    const trap = join(folder, 'trapped');
    const text = `-u <b>"; $(touch ${trap})`;
    await call('jobs.add', { text, tier: 'routine' });
    const [notice] = await until(() => shown().length > 0 && shown(), 30_000);
    expect(notice?.[0]).toBe('A draft for you');
    expect(notice?.[1]).toBe(`–u ‹b›”; $(touch ${trap})`);
    expect(existsSync(trap)).toBe(false);
    await call('drafts.dismiss', { id: 1 });
    await call('drafts.restore', { id: 1 });
    await call('jobs.add', { text: `\`touch ${trap}\``, tier: 'routine' });
    await until(() => shown().length === 2, 30_000);
    expect(shown()[1]?.slice(0, 2)).toEqual(['A draft for you', `’touch ${trap}’`]);
    expect(existsSync(trap)).toBe(false);
    close();
    expect(await host.stop()).toBe(0);
  }, 90_000);

  it('D3 nothing is told that the settings keep back, and it is all in the panel', async () => {
    const { folder, shown } = fakeNotifySend();
    const quiet = { notices: { quietHours: { from: '00:00', to: '24:00' } } };
    for (const config of [quiet, { notices: { draftReady: false } }]) {
      const { call, host, close } = await living(`${folder}:${process.env.PATH}`, config);
      await call('jobs.add', { text: 'Think', tier: 'routine' });
      await until(async () => (await call('panel', {})).drafts.length === 1, 30_000);
      close();
      expect(await host.stop()).toBe(0);
    }
    expect(shown()).toEqual([]);
  }, 90_000);

  it('D3 where no program shows notices the host goes on, and the log says so once', async () => {
    const { home, call, host, close } = await living(temporaryFolder());
    for (const text of ['One', 'Two']) await call('jobs.add', { text, tier: 'routine' });
    await until(async () => (await call('drafts.list', {})).length === 2, 30_000);
    const log = () =>
      readdirSync(home.logs)
        .map((name) => readFileSync(join(home.logs, name), 'utf8'))
        .join('');
    await until(() => log().includes('notices cannot be shown'), 30_000);
    close();
    expect(await host.stop()).toBe(0);
    expect(log().match(/notices cannot be shown/g)).toHaveLength(1);
  }, 90_000);
});
