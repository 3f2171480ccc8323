import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import type { JobRow, StatusView } from '../../main/surfaces/contract.ts';
import { HAS_XVFB, startXvfb } from '../native/servers.ts';
import { hostThere, lullHere, rowsIn, testHome, until } from '../support/host.ts';

describe.runIf(HAS_XVFB)('a key pressed on a real display', () => {
  it('G1 D9 is noticed by a host that reads the machine: heavy work stops, and waits', async () => {
    const { display } = await startXvfb();
    const home = testHome(undefined, {
      presence: { idleThresholdSeconds: 4 },
      yield: { graceSeconds: 1 },
      // Whatever this machine says of its power, it is the presence that is tried here.
      power: { shedOnBattery: false, shedInLowPowerMode: false, floorPercent: 0 },
    });
    const env = { DISPLAY: display, XAUTHORITY: '', LULL_OFFLINE_DELAY_MS: '20000' };
    await hostThere(home, { args: ['--model', 'offline'], env });
    const presence = async () =>
      (await lullHere(home, ['status', '--json']))
        .json<StatusView>()
        .gates.find(({ id }) => id === 'presence');
    const state = async () =>
      (await lullHere(home, ['jobs', 'list', '--json'])).json<JobRow[]>()[0]?.state;

    await until(async () => (await presence())?.code === 'idle');
    await lullHere(home, ['add', 'Think long.']);
    await until(async () => (await state()) === 'running');
    execFileSync('xdotool', ['key', 'a'], { env: { ...process.env, DISPLAY: display } });
    expect(await presence()).toMatchObject({ open: false, code: 'active' });
    const yields = () => rowsIn(home, "SELECT payload FROM events WHERE kind = 'job.yielded'");
    await until(() => yields().length > 0, 5_000);
    expect(yields()).toEqual([{ payload: '{"cause":"returned"}' }]);
    await until(async () => (await state()) === 'running');
  });
});
