import { dirname, join } from 'node:path';
import type { Home } from '../../main/base/home.ts';
import type { CommandInput } from '../../main/surfaces/contract.ts';
import { repositoryOf } from '../support/git-repository.ts';
import type { Filling } from './filled.ts';

const DAILY = ['audit-agent', 'content-audit-agent', 'docs-agent', 'dependency-agent'];
const WEEKLY = ['release-notes-agent'];

/** Makes a repository with a roster beside a data folder, with which it goes; its path. */
export function rosterBeside(home: Home): string {
  const prompts = [
    ...DAILY.map((agent) => [`src/prompts/daily/${agent}.md`, `# ${agent}\n`] as const),
    ...WEEKLY.map((agent) => [`src/prompts/weekly/${agent}.md`, `# ${agent}\n`] as const),
  ];
  return repositoryOf(
    {
      'src/prompts/roster.json': JSON.stringify({ daily: DAILY, weekly: WEEKLY }),
      'torch-config.json': JSON.stringify({
        scheduler: {
          handoffCommandByCadence: { daily: 'true', weekly: 'true' },
          paused: { daily: ['dependency-agent'] },
        },
      }),
      ...Object.fromEntries(prompts),
    },
    join(dirname(home.dir), 'bakery-site'),
  );
}

/** Its runs of last night: one that was completed, one that failed, one that was put off. */
export function rosterNight({ cycle }: Filling, repository: string, from: number): void {
  const hour = 3_600_000;
  const [first, second, third] = DAILY as [string, string, string];
  cycle({ repository, agent: first, status: 'completed', at: from });
  cycle({
    ...{ repository, agent: second, status: 'failed', at: from + hour },
    ...{ reason: 'Validation failed', detail: 'npm test ended with 1' },
  });
  cycle({
    ...{ repository, agent: third, status: 'deferred', at: from + 2 * hour },
    reason: 'The lock is held by another machine',
  });
}

/** What the owner agreed to. */
export const rosterConsent = (path: string, from: number): CommandInput<'cycles.add'> => ({
  ...{ path, consent: true },
  daily: { kind: 'interval', everySeconds: 3600, first: from },
});
