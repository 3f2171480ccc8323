import { LullError, type Result } from '../base/errors.ts';
import { type CyclesInput, cyclesView } from '../desk/view-model/cycles.ts';
import type { Cycles } from '../work/roster/hosted/cycles.ts';
import { isCadenceSchedule } from '../work/roster/hosted/places.ts';
import type { Handlers } from './dispatch.ts';

export interface CycleCommandParts {
  readonly cycles: Cycles;
  /** What the list is made of, but for the runs. */
  readonly cyclesInput: () => Omit<CyclesInput, 'runs'>;
}

type Names =
  | 'cycles.add'
  | 'cycles.remove'
  | 'cycles.list'
  | 'cycles.runNow'
  | 'cycles.plan'
  | 'cycles.health';

export function cycleHandlers({ cycles, cyclesInput }: CycleCommandParts): Pick<Handlers, Names> {
  return {
    'cycles.add': async ({ daily, weekly, ...wish }) => {
      const added = must(await cycles.add({ ...wish, cadences: { daily, weekly } }));
      if (added.outcome === 'added') cycles.follow();
      return added;
    },
    'cycles.remove': ({ path }) => {
      must(cycles.remove(path));
      cycles.follow();
      return { path };
    },
    'cycles.list': ({ runs }) => cyclesView({ ...cyclesInput(), runs: cycles.runs.latest(runs) }),
    'cycles.runNow': ({ path, cadence }) => must(cycles.runNow(path, cadence)),
    'cycles.plan': async ({ path, cadence }) => must(await cycles.plan(path, cadence)),
    'cycles.health': async ({ path }) => must(await cycles.health(path)),
  };
}

/** A cadence's schedule follows the settings: changed by hand, it would be changed back. */
export function ofARoster(id: string): void {
  if (!isCadenceSchedule(id)) return;
  throw new LullError(
    'refused',
    `"${id}" belongs to a roster`,
    'change when it is due with lull cycles add',
  );
}

function must<T>(result: Result<T>): T {
  if (result.ok) return result.value;
  throw new LullError(result.code, result.message, result.hint);
}
