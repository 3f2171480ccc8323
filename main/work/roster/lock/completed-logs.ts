import { readdirSync } from 'node:fs';
import type { Cadence } from '../repository/cadence.ts';
import { taskLogs } from '../repository/places.ts';
import { isoWeek } from './window.ts';

const COMPLETED = /^(\d{4}-\d{2}-\d{2})T\d{2}-\d{2}-\d{2}Z__([^_]+)__completed\.md$/;

/** Agents whose logs say that they are done in the window of `date`. Names alone are read. */
export function completedInLogs(root: string, cadence: Cadence, date: string): string[] {
  let names: string[];
  try {
    names = readdirSync(taskLogs(root, cadence));
  } catch {
    return []; // no log was ever written
  }
  const inWindow = (day: string) =>
    cadence === 'daily' ? day === date : isoWeek(day) === isoWeek(date);
  return names.flatMap((name) => {
    const [, day, agent] = COMPLETED.exec(name) ?? [];
    return day && agent && isDate(day) && inWindow(day) ? [agent] : [];
  });
}

function isDate(day: string): boolean {
  return !Number.isNaN(Date.parse(`${day}T00:00:00Z`));
}
