import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { attempt, known, type Reading } from '../reading.ts';

/**
 * Whether a program records from a sound card: one of ALSA's capture streams runs. PipeWire and
 * PulseAudio open one only while somebody records. A Bluetooth headset is no card of ALSA's and is not
 * seen. `proc` is `/proc`.
 */
export function readMicrophone(proc: string): Reading<boolean> {
  const root = join(proc, 'asound');
  return attempt(root, () => {
    const streams = within(root, /^card\d+$/)
      .flatMap((card) => within(card, /^pcm\d+c$/))
      .flatMap((device) => within(device, /^sub\d+$/));
    return known(root, streams.some(isRunning));
  });
}

function within(folder: string, name: RegExp): string[] {
  return readdirSync(folder)
    .filter((one) => name.test(one))
    .map((one) => join(folder, one));
}

function isRunning(stream: string): boolean {
  try {
    return /^state: RUNNING$/m.test(readFileSync(join(stream, 'status'), 'utf8'));
  } catch {
    return false; // unplugged this moment
  }
}
