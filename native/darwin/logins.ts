import { koffi } from '../library.ts';
import { attempt, known, type Reading } from '../reading.ts';
import { type Framework, once } from './framework.ts';

const SOURCE = 'login records';

/** In struct utmpx: where the kind of record and the host begin, and the kind of a user's session. */
const TYPE_AT = 296;
const HOST_AT = 320;
const USER_PROCESS = 7;

/** Whether somebody is logged in from another machine, as by ssh. Who and whence is not read. */
export function remoteLogins(system: Framework): () => Reading<boolean> {
  const records = once(() => functionsOf(system));
  return () =>
    attempt(SOURCE, () => {
      const { decode } = koffi();
      const { rewind, next, end } = records();
      rewind();
      try {
        for (let record = next(); record !== null; record = next()) {
          const type: number = decode(record, TYPE_AT, 'int16_t');
          if (type === USER_PROCESS && decode(record, HOST_AT, 'uint8_t') !== 0) {
            return known(SOURCE, true);
          }
        }
        return known(SOURCE, false);
      } finally {
        end();
      }
    });
}

function functionsOf({ find }: Framework) {
  return {
    rewind: find<() => void>('setutxent', 'void', []),
    next: find<() => bigint | null>('getutxent', 'void *', []),
    end: find<() => void>('endutxent', 'void', []),
  };
}
