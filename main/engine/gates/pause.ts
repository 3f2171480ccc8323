import { type GateInput, opened, type Verdict } from './gate.ts';
import { momentInWords } from './words.ts';

/**
 * The owner's pause: `all` stops every start, `heavy` the heavy tiers. Each lasts until resumed or
 * until its time; a pause whose time has come is over, whether or not its row is gone.
 */
export function pauseGate({ pauses, now }: GateInput): Verdict {
  if (lasts(pauses.all, now)) {
    const until = pauses.all.until;
    return {
      id: 'pause',
      open: false,
      blocks: 'all',
      code: 'paused',
      reason: `Everything is paused until ${end(until, now)}.`,
      waitsFor: until === null ? 'you to resume' : 'the pause to end',
      waivedBy: null,
      changesAt: until,
    };
  }
  if (lasts(pauses.heavy, now)) {
    const until = pauses.heavy.until;
    return {
      id: 'pause',
      open: false,
      blocks: 'heavy',
      code: 'heavy-paused',
      reason: `Heavy work is paused until ${end(until, now)}.`,
      waitsFor: until === null ? 'you to resume heavy work' : 'the pause of heavy work to end',
      waivedBy: 'heavyPause',
      changesAt: until,
    };
  }
  return opened('pause', 'not-paused', 'Nothing is paused.');
}

type Pause = { until: number | null };

function lasts(pause: Pause | null, now: number): pause is Pause {
  return pause !== null && (pause.until === null || pause.until > now);
}

function end(until: number | null, now: number): string {
  return until === null ? 'you resume' : momentInWords(until, now);
}
