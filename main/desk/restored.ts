import type { RestorePlan } from '../base/store/restore.ts';
import { moment } from './view-model/moment.ts';
import { oneLine } from './view-model/text.ts';

type Told = Pick<RestorePlan, 'madeAt' | 'at' | 'fault' | 'aside'>;

/** What was put back, from when, what is lost since, and where the replaced database is: one line. */
export function restoredText(plan: Told, zone: string): string {
  const gone = plan.fault?.includes('is gone') ?? false;
  const found =
    plan.fault === null
      ? 'As you asked'
      : `The database was ${gone ? 'gone' : `damaged (${why(plan.fault)})`}`;
  const done =
    plan.madeAt === null
      ? 'Lull has begun empty'
      : plan.fault === null
        ? `the backup of ${moment(plan.madeAt, zone)} is in place`
        : `the backup of ${moment(plan.madeAt, zone)} was put in its place; what changed in the ${span(plan.at - plan.madeAt)} since is lost, and work done since may be done once more`;
  const kept = gone ? '' : ` The replaced database is kept: ${oneLine(plan.aside, 200)}.`;
  return `${found}${plan.fault === null ? ', ' : ': '}${done}.${kept}`;
}

/** The words before the path, which is that of the database. */
function why(fault: string): string {
  return oneLine(fault.replace(/^the database is damaged:? ?/, '').replace(/: \/.*$/, ''), 60);
}

/** `40 s`, `25 min`, `7 h`, `3 d`: as much as the owner needs to judge it. */
export function span(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 90) return `${seconds} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.round(seconds / 3600)} h`;
  return `${Math.round(seconds / 86_400)} d`;
}
