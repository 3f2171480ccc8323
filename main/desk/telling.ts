import type { Config } from '../base/config-schema.ts';
import { DAYS } from '../base/hours-schema.ts';
import { standing } from '../engine/gates/hours.ts';

/** What the owner may be told of outside the panel at this moment. */
export interface Telling {
  drafts: boolean;
  digest: boolean;
  failures: boolean;
}

/** By the settings, and never in quiet hours. Pure. */
export function telling({ notices }: Pick<Config, 'notices'>, now: number): Telling {
  const { quietHours, draftReady, digest, failures } = notices;
  const quiet = quietHours !== null && standing([{ days: [...DAYS], ...quietHours }], now).open;
  return {
    drafts: draftReady && !quiet,
    digest: digest && !quiet,
    failures: failures && !quiet,
  };
}
