import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemSleepHold } from '../../native/index.ts';
import { until } from '../support/host.ts';
import { temporaryFolder } from '../support/store.ts';

/**
 * Stands in for systemd-inhibit: notes what it was asked for, and holds for as long as the command
 * runs, or until it is ended, as the real one does. A hold is a file named after its process.
 */
const STAND_IN = `#!/usr/bin/env node
const { spawn } = require('node:child_process');
const { appendFileSync, writeFileSync, rmSync } = require('node:fs');
const folder = __dirname;
const words = process.argv.slice(2);
appendFileSync(folder + '/asked', words.join(' ') + '\\n');
if (process.env.REFUSE) process.exit(1);
const command = words.slice(words.findIndex((word) => !word.startsWith('--')));
const mine = folder + '/held.' + process.pid;
const end = () => { rmSync(mine, { force: true }); process.exit(0); };
process.on('SIGTERM', end);
writeFileSync(mine, ''); // last: whoever sees it may end us at once
spawn(command[0], command.slice(1), { stdio: 'inherit' }).on('exit', end);
`;

function standIn(more: NodeJS.ProcessEnv = {}) {
  const folder = temporaryFolder();
  const program = join(folder, 'systemd-inhibit');
  writeFileSync(program, STAND_IN);
  chmodSync(program, 0o755);
  const env = { ...process.env, PATH: `${folder}:${process.env.PATH}`, ...more };
  const log = join(folder, 'asked');
  return {
    env,
    asked: () => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : []),
    held: () => readdirSync(folder).filter((name) => name.startsWith('held.')).length,
  };
}

describe.runIf(process.platform === 'linux')('holding idle sleep off on Linux', () => {
  it('G7 takes a named hold of idle sleep that ends by itself, and releases it', async () => {
    const { env, asked, held } = standIn();
    const hold = systemSleepHold('linux', env);
    onTestFinished(hold.release);
    hold.hold('Lull: heavy work is running on mains');
    await until(() => held() === 1);
    expect(asked()).toEqual([
      '--what=idle --mode=block --who=Lull --why=Lull: heavy work is running on mains timeout 900 cat',
    ]);
    hold.release();
    hold.release();
    await until(() => held() === 0);
  });

  it('G7 a hold that is taken anew takes the place of the one before', async () => {
    const { env, asked, held } = standIn();
    const hold = systemSleepHold('linux', env);
    onTestFinished(hold.release);
    hold.hold('one');
    await until(() => held() === 1);
    hold.hold('two');
    await until(() => asked().length === 2 && held() === 1);
    hold.release();
    await until(() => held() === 0);
  });

  it('G7 ends with a host that is killed', async () => {
    const { env, held } = standIn();
    const index = join(import.meta.dirname, '..', '..', 'native', 'index.ts');
    const script = `import { systemSleepHold } from ${JSON.stringify(index)};
      systemSleepHold().hold('Lull'); setInterval(() => {}, 1000);`;
    const host = spawn(process.execPath, ['--input-type=module', '-e', script], { env });
    onTestFinished(() => void host.kill('SIGKILL'));
    await until(() => held() === 1);
    host.kill('SIGKILL');
    await once(host, 'exit');
    await until(() => held() === 0);
  });

  it('D9 doctor can try it out, and hears why it does not work', async () => {
    const good = standIn();
    expect(await systemSleepHold('linux', good.env).check()).toMatchObject({
      ...{ ok: true, source: 'systemd-inhibit' },
    });
    await until(() => good.held() === 0);
    const refused = standIn({ REFUSE: '1' });
    expect(await systemSleepHold('linux', refused.env).check()).toMatchObject({
      ...{ ok: false, reason: 'the system refused it' },
    });
    const bare = systemSleepHold('linux', { PATH: temporaryFolder() });
    expect(await bare.check()).toMatchObject({ reason: 'systemd-inhibit is not installed' });
    bare.hold('nothing');
    bare.release();
    expect(await systemSleepHold('win32', {}).check()).toMatchObject({ ok: false });
  });

  it('G7 a helper that vanishes holds nothing, and harms nobody', async () => {
    const folder = temporaryFolder();
    const program = join(folder, 'systemd-inhibit');
    writeFileSync(program, '#!/nowhere\n');
    chmodSync(program, 0o755);
    const hold = systemSleepHold('linux', { PATH: `${folder}:/usr/bin:/bin` });
    hold.hold('x');
    expect(await hold.check()).toMatchObject({ ok: false });
    hold.release();
  });
});
