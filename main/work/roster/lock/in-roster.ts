import { notInRoster, type Roster } from '../repository/roster.ts';
import { Transcript } from './answer.ts';
import type { Claim, LockAnswer } from './port.ts';

/** The answer to a claim on an agent that the roster does not list, or null: known before anything is sent. */
export function refuseUnknown(roster: Roster, claim: Claim): LockAnswer | null {
  const unknown = notInRoster(roster, claim.cadence, claim.agent);
  if (!unknown) return null;
  const talk = new Transcript();
  talk.say(unknown.hint ? `${unknown.message} - ${unknown.hint}` : unknown.message);
  return talk.end(1);
}
