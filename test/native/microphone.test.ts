import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readMicrophone } from '../../native/linux/microphone.ts';
import { tree } from './sysfs.ts';

const RUNS = 'state: RUNNING\nowner_pid   : 812\ntrigger_time: 1021.5';

/** What a machine with these streams says; the path of each below `/proc/asound`, and its status. */
function heard(streams: Record<string, string>) {
  const files = Object.entries(streams).map(([path, status]) => [`asound/${path}/status`, status]);
  return readMicrophone(tree({ 'asound/version': 'ALSA', ...Object.fromEntries(files) }));
}

describe('a microphone on Linux', () => {
  it.each<[string, Record<string, string>, boolean]>([
    ['no sound card', {}, false],
    ['nobody records', { 'card0/pcm0c/sub0': 'closed', 'card0/pcm0p/sub0': 'closed' }, false],
    ['music plays', { 'card0/pcm0c/sub0': 'closed', 'card0/pcm0p/sub0': RUNS }, false],
    ['a program is ready to record', { 'card0/pcm0c/sub0': 'state: PREPARED' }, false],
    ['a call', { 'card0/pcm0c/sub0': RUNS }, true],
    ['a call by a USB headset', { 'card0/pcm0c/sub0': 'closed', 'card2/pcm0c/sub1': RUNS }, true],
  ])('D9 G5 %s', (_, streams, inUse) => {
    expect(heard(streams)).toMatchObject({ ok: true, value: inUse });
  });

  it('D9 G5 a headset that is unplugged in the middle does not count', () => {
    const proc = tree({ 'asound/card0/pcm0c/sub0/status': 'closed' });
    rmSync(join(proc, 'asound/card0/pcm0c/sub0/status'));
    expect(readMicrophone(proc)).toMatchObject({ ok: true, value: false });
  });

  it('D9 a kernel without sound says so', () => {
    const proc = tree({});
    expect(readMicrophone(proc)).toEqual({
      ...{ ok: false, source: join(proc, 'asound'), reason: 'it does not exist here' },
    });
  });
});
