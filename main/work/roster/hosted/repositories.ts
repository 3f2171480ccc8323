import type { ConfigChanges } from '../../../base/config.ts';
import type { Config } from '../../../base/config-schema.ts';
import { failure, ok, type Result } from '../../../base/errors.ts';
import type { RosterRepository } from '../../../base/roster-schema.ts';
import { nearest } from '../../../base/suggest.ts';
import { ruleFault } from '../../../engine/producers/clock/spec.ts';
import { CADENCES } from '../repository/cadence.ts';
import { type Roster, readRoster } from '../repository/roster.ts';
import { openRepository } from '../worktree/repository.ts';
import { consentText } from './consent.ts';

export interface NewRepository
  extends Pick<RosterRepository, 'path' | 'cadences' | 'platform' | 'model' | 'prepare'> {
  /** The owner's word, after having read what it means. */
  consent: boolean;
}

export type Added =
  /** Nothing is stored yet: this is what the owner would agree to. */
  | { outcome: 'asks'; path: string; says: string[]; roster: Roster }
  | { outcome: 'added'; path: string; says: string[]; roster: Roster };

export interface RepositoriesParts {
  config: () => Pick<Config, 'roster'>;
  setConfig: (changes: ConfigChanges) => Result<unknown>;
  now: () => number;
}

/** The list of repositories, kept in the settings; every change is the owner's explicit act. */
export function repositories({ config, setConfig, now }: RepositoriesParts) {
  return {
    /** Says what adding it means; with consent, adds it or changes what it is run with. */
    async add({ consent, ...wish }: NewRepository): Promise<Result<Added>> {
      const opened = await openRepository(wish.path);
      if (!opened.ok) return opened;
      const { path } = opened.value;
      const roster = readRoster(path);
      if (!roster.ok) return roster;
      for (const cadence of CADENCES) {
        const rule = wish.cadences[cadence];
        const fault = rule && ruleFault(rule);
        if (fault) return fault;
        if (rule && roster.value[cadence].length === 0) {
          return failure('invalid', `the ${cadence} roster lists nobody: ${path}`);
        }
      }
      if (!roster.value.daily.length && !roster.value.weekly.length) {
        return failure('invalid', `the roster lists nobody: ${path}`, 'name an agent in it');
      }
      const { roster: settings } = config();
      const says = consentText(path, settings);
      if (!consent) return ok({ outcome: 'asks', path, says, roster: roster.value });
      const before = settings.repositories.find((one) => one.path === path);
      const entry = {
        ...before,
        ...wish,
        path,
        consent: { at: now(), said: says.join(' ') },
      };
      const list = before
        ? settings.repositories.map((one) => (one === before ? entry : one))
        : [...settings.repositories, entry];
      const set = setConfig({ 'roster.repositories': list });
      return set.ok ? ok({ outcome: 'added', path, says, roster: roster.value }) : set;
    },

    /** Takes it off the list, with the consent. Drafts that wait stay, with their branches. */
    remove(path: string): Result<true> {
      const { repositories } = config().roster;
      if (!repositories.some((one) => one.path === path)) return unknown(path, repositories);
      const rest = repositories.filter((one) => one.path !== path);
      const set = setConfig({ 'roster.repositories': rest });
      return set.ok ? ok(true) : set;
    },

    get(path: string): Result<RosterRepository> {
      const { repositories } = config().roster;
      const found = repositories.find((one) => one.path === path);
      return found ? ok(found) : unknown(path, repositories);
    },
  };
}

function unknown(path: string, repositories: readonly RosterRepository[]) {
  const near = nearest(
    path,
    repositories.map((one) => one.path),
  );
  return failure(
    'not_found',
    `this repository is not in Lull's list: ${path}`,
    near ? `did you mean ${near}?` : 'lull cycles list shows them',
  );
}

export type Repositories = ReturnType<typeof repositories>;
