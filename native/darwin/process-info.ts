import { HEAT, type Heat } from '../machine.ts';
import { attempt, known, type Reading } from '../reading.ts';
import { type Framework, once } from './framework.ts';

const SOURCE = 'NSProcessInfo';

export interface ProcessInfo {
  lowPower(): Reading<boolean>;
  thermal(): Reading<Heat>;
}

/** Low Power Mode and heat, as the system tells them to programs. For the main thread only. */
export function processInfo(foundation: Framework, runtime: Framework): ProcessInfo {
  const objectiveC = once(() => {
    foundation.open(); // without which the runtime does not know the class
    return functionsOf(runtime);
  });

  /** One object for the life of the process, never released. */
  const info = once(() => {
    const { classOf, selector, sendForObject } = objectiveC();
    const theClass = classOf(SOURCE);
    if (theClass === null) throw new Error('this macOS does not have it');
    const object = sendForObject(theClass, selector('processInfo'));
    if (object === null) throw new Error('it gives no object');
    return object;
  });

  /** A method that is not there would end the process, so it is asked for first. */
  function ask<T>(method: string, send: (object: bigint, method: bigint) => T): T {
    const { selector, sendForAnswer } = objectiveC();
    const name = selector(method);
    if (sendForAnswer(info(), selector('respondsToSelector:'), name) === 0) {
      throw new Error(`this macOS does not know ${method}`);
    }
    return send(info(), name);
  }

  return {
    lowPower: () =>
      attempt(SOURCE, () =>
        known(SOURCE, ask('isLowPowerModeEnabled', objectiveC().sendForFlag) !== 0),
      ),
    thermal: () =>
      attempt(SOURCE, () => {
        const state = Number(ask('thermalState', objectiveC().sendForNumber));
        const heat = HEAT[state];
        if (heat === undefined) throw new Error(`it tells the unknown thermal state ${state}`);
        return known(SOURCE, heat);
      }),
  };
}

/**
 * objc_msgSend is declared once for each shape of call and never as variadic: on arm64 such arguments
 * go by the stack, and the methods look for them in registers. BOOL is one byte; the rest of the
 * register is not to be looked at.
 */
function functionsOf({ find }: Framework) {
  const SEND = 'objc_msgSend';
  const receiver = ['void *', 'void *'];
  return {
    classOf: find<(name: string) => bigint | null>('objc_getClass', 'void *', ['str']),
    selector: find<(name: string) => bigint>('sel_registerName', 'void *', ['str']),
    sendForObject: find<(to: bigint, method: bigint) => bigint | null>(SEND, 'void *', receiver),
    sendForAnswer: find<(to: bigint, method: bigint, about: bigint) => number>(SEND, 'uint8_t', [
      ...receiver,
      'void *',
    ]),
    sendForFlag: find<(to: bigint, method: bigint) => number>(SEND, 'uint8_t', receiver),
    sendForNumber: find<(to: bigint, method: bigint) => number | bigint>(SEND, 'long', receiver),
  };
}
