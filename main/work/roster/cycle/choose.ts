/**
 * Whose turn it is: the first agent after the previous one, once round the roster, that is not excluded.
 * Where no agent has run, the round begins with `first`, or at the top. Null when all are excluded.
 */
export function chooseAgent(
  roster: readonly string[],
  excluded: ReadonlySet<string>,
  previous: string | null,
  first: string | null,
): string | null {
  const before = previous === null ? -1 : roster.indexOf(previous);
  const start = before >= 0 ? before + 1 : Math.max(0, first === null ? 0 : roster.indexOf(first));
  for (let step = 0; step < roster.length; step++) {
    const agent = roster[(start + step) % roster.length] as string;
    if (!excluded.has(agent)) return agent;
  }
  return null;
}
