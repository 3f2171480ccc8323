import { type GateInput, opened, type Verdict } from './gate.ts';

/** Memory pressure: at `critical` heavy work waits. The loader weighs single models; this does not. */
export function memoryGate({ facts, config }: GateInput): Verdict {
  switch (facts.pressure) {
    case 'critical':
      if (!config.memory.shedUnderPressure) {
        return opened(
          'memory',
          'pressure-allowed',
          'Memory is nearly used up; the settings allow heavy work.',
        );
      }
      return {
        id: 'memory',
        open: false,
        blocks: 'heavy',
        code: 'critical',
        reason: 'Memory is nearly used up: heavy work waits until some is free.',
        waitsFor: 'memory to be free',
        waivedBy: null,
        changesAt: null,
      };
    case 'warn':
      return opened('memory', 'warn', 'Memory is getting scarce; heavy work may still run.');
    case 'normal':
      return opened('memory', 'normal', 'There is enough memory.');
    case null:
      return opened('memory', 'unknown', 'Memory pressure is unknown and holds nothing back.');
  }
}
