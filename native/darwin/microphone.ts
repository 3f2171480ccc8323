import { attempt, known, type Reading, unknown } from '../reading.ts';
import { type AudioObjects, INPUT, OUTPUT, property, SYSTEM_OBJECT } from './audio-objects.ts';
import type { CoreFoundation } from './core-foundation.ts';

const SOURCE = 'CoreAudio';

const PROCESSES = property('prs#');
const PROCESS_ID = property('ppid');
const PROCESS_BUNDLE = property('pbid');
const RUNS_INPUT = property('piri');
const INPUT_DEVICES = property('pdv#', INPUT);
const DEVICES = property('dev#');
/** Global scope only: by the scope of the input it never changes (home-assistant/iOS#5757). */
const RUNS_SOMEWHERE = property('gone');
const INPUT_STREAMS = property('stm#', INPUT);
const OUTPUT_STREAMS = property('stm#', OUTPUT);

/**
 * Whether another program than Lull listens to a microphone. Reading this asks the owner for no
 * permission and lights no lamp.
 */
export function microphone(
  audio: AudioObjects,
  cf: CoreFoundation,
  pid: number,
): () => Reading<boolean> {
  /** What ends between one question and the next counts as otherwise. */
  function skipEnded<T>(ask: () => T, otherwise: T): T {
    try {
      return ask();
    } catch {
      return otherwise;
    }
  }

  /**
   * macOS 14 and later say it of each process. That a process runs input proves nothing alone: with
   * "Hey Siri" on its daemon always does, and then it has no input device.
   */
  function listens(process: number): boolean {
    return (
      audio.number(process, RUNS_INPUT) === 1 &&
      audio.number(process, PROCESS_ID) !== pid &&
      audio.list(process, INPUT_DEVICES).length > 0
    );
  }

  function nameOf(process: number): string {
    return cf.scope((own) => {
      const name = audio.text(process, PROCESS_BUNDLE, own);
      const text = name === null ? '' : cf.text(name, 'a bundle');
      return text || `process ${audio.number(process, PROCESS_ID)}`;
    });
  }

  function byProcess(): Reading<boolean> {
    const processes = audio.list(SYSTEM_OBJECT, PROCESSES);
    let refused = 0;
    const found = processes.find((process) => {
      try {
        return listens(process);
      } catch (error) {
        refused++;
        if (refused === processes.length) throw error;
        return false; // it has ended since
      }
    });
    if (found === undefined) return known(SOURCE, false);
    const name = skipEnded(() => nameOf(found), '');
    return known(name ? `${SOURCE}, ${name}` : SOURCE, true);
  }

  /** macOS 13 knows it of devices only, and for one with both a microphone and a speaker not for which. */
  function byDevice(): Reading<boolean> {
    let doubtful = false;
    for (const device of audio.list(SYSTEM_OBJECT, DEVICES)) {
      const has = (streams: typeof INPUT_STREAMS) => audio.list(device, streams).length > 0;
      const runs = skipEnded(
        () => has(INPUT_STREAMS) && audio.number(device, RUNS_SOMEWHERE) === 1,
        false,
      );
      if (!runs) continue;
      if (!skipEnded(() => has(OUTPUT_STREAMS), false)) return known(SOURCE, true);
      doubtful = true;
    }
    return doubtful
      ? unknown(SOURCE, 'a headset is in use, which may be for listening only')
      : known(SOURCE, false);
  }

  return () =>
    attempt(SOURCE, () => (audio.has(SYSTEM_OBJECT, PROCESSES) ? byProcess() : byDevice()));
}
