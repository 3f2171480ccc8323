import { gigabytes } from '../../base/gigabytes.ts';
import {
  type Candidate,
  type Choice,
  type Choices,
  type Costable,
  costsOf,
  NEEDED_WINDOW,
  unfitFor,
} from './candidates.ts';

const tokens = (numCtx: number) => numCtx.toLocaleString('en-US');

/** Why the lineup is as it is, a sentence each. */
export function choiceReasons(
  choices: Choices | null,
  { ramBytes, budget, found }: { ramBytes: number; budget: number; found: number },
): string[] {
  const room = `This machine has ${gigabytes(ramBytes)} of memory, of which models may use ${gigabytes(budget)}.`;
  if (found === 0) {
    return [
      'No model was found on this machine: Lull\u2019s offline model stands in, and says so.',
    ];
  }
  if (!choices) {
    return [
      room,
      'None of the models found is known to fit: Lull\u2019s offline model stands in, and says so.',
    ];
  }
  const { pinned, routine, synthesis, stretch, single } = choices;
  const lines = [room];
  if (single) {
    lines.push(
      `${described(pinned)} serves all tiers: there is no room for two models that are of use.`,
    );
  } else {
    lines.push(`${described(pinned)} is small enough to stay in memory for short answers.`);
    if (routine.of === pinned.of) lines.push('It serves routine work too.');
    else if (routine.of !== synthesis.of) {
      lines.push(`${described(routine)} lies between the two, for routine work.`);
    }
    const also = routine.of === synthesis.of ? ', and serves routine work too' : '';
    lines.push(`${described(synthesis)} is the largest that fits beside it${also}.`);
  }
  if (pinned.numCtx < NEEDED_WINDOW) {
    lines.push('That is a small window: long work will not fit into it.');
  }
  if (stretch.of !== synthesis.of) {
    lines.push(`${described(stretch)} is the largest that fits alone; others leave memory for it.`);
  }
  const all = [pinned, routine, synthesis, stretch];
  const guessed = new Set(all.filter((one) => one.of.guessed).map((one) => one.of.candidate.title));
  for (const title of guessed) {
    lines.push(
      `${title} does not say what memory these models use: the figure is the file and a generous cache. Correct it if you know better, above all if you gave a model a larger window.`,
    );
  }
  const mute = all.filter((one) => one.of.candidate.tools === false);
  for (const model of new Set(mute.map((one) => one.of.candidate.model))) {
    lines.push(`${model} cannot call tools, so orders cannot be drafted with it.`);
  }
  return lines;
}

function described({ of, numCtx }: Choice): string {
  const { model, title } = of.candidate;
  return `${model} on ${title} (${gigabytes(of.cost(numCtx))} with ${tokens(Math.min(numCtx, of.windowFor(numCtx)))} tokens)`;
}

/** Why a model that was found is not in the lineup. */
export function whyLeft(one: Candidate, pool: readonly Costable[], budget: number): string {
  const unfit = unfitFor(one);
  if (unfit) return unfit;
  const costs = costsOf(one);
  if (!costs) return `${one.title} does not say how large it is: declare its memoryGb to use it`;
  const least = costs.cost(NEEDED_WINDOW);
  if (least > budget) return `needs ${gigabytes(least)}, and models may use ${gigabytes(budget)}`;
  return pool.some((each) => each.candidate === one) ? 'is not needed' : 'cannot call tools';
}
