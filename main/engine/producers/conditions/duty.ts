import type { ConditionPass, ConditionPassResult } from './pass.ts';

/** The stock pass as a repeating duty. It follows commits and the re-read, never the clock. */
export interface ConditionDuty {
  readonly name: 'conditions';
  /** Returns how many conditions changed. */
  runOnce(now: number): number;
  nextDueAt(): null;
}

/** `onProblem` is told once of each condition that can no longer be observed, after the commit. */
export function createConditionDuty(
  pass: ConditionPass,
  onProblem: (problem: ConditionPassResult['problems'][number]) => void,
): ConditionDuty {
  return {
    name: 'conditions',
    runOnce(now) {
      const { moved, problems } = pass(now);
      for (const problem of problems) onProblem(problem);
      return moved;
    },
    nextDueAt: () => null,
  };
}
