import { basename } from 'node:path';
import { failure, ok, type Result } from '../../../base/errors.ts';
import type { RosterRepository, RosterSettings } from '../../../base/roster-schema.ts';

/** What the owner agrees to when a repository is added, one sentence each. */
export function consentText(
  path: string,
  settings: Pick<RosterSettings, 'lock' | 'relays'>,
): string[] {
  return [
    `A cycle starts the agent of ${basename(path)} on this machine, with your rights: it can change files and reach the network.`,
    'It runs only while heavy work may run, in a working tree and on a branch of its own; your files stay as they are until you approve.',
    'Its commands come from the repository: torch-config.json, the prompts, and what they start.',
    'Approving its draft merges the branch; dismissing it deletes the branch.',
    settings.lock === 'local'
      ? 'The lock stays on this machine: no relay hears of it.'
      : `The lock is public: ${settings.relays.join(', ')} see the names of agents, when they ran, the platform, the model and the commit.`,
  ];
}

/** The entry of a repository, where the owner has agreed to run it. */
export function consented(
  { repositories }: Pick<RosterSettings, 'repositories'>,
  path: string,
): Result<RosterRepository> {
  const entry = repositories.find((one) => one.path === path);
  if (!entry) {
    return failure('refused', `this repository is not in Lull's list: ${path}`, 'add it first');
  }
  if (entry.consent) return ok(entry);
  return failure(
    'refused',
    `your consent for this repository is missing: ${path}`,
    `give it: lull cycles add ${path}`,
  );
}
