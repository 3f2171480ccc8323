const MORNING_HOUR = 8;
/** Whoever is still up before this hour means the morning that is about to come. */
const NIGHT_ENDS = 4;

/** The next morning, 08:00 in the machine's own zone, as a person means it. Epoch ms. */
export function nextMorning(now: number): { at: number; label: string } {
  const day = new Date(now);
  const tonight = day.getHours() < NIGHT_ENDS;
  const ahead = tonight ? 0 : 1;
  const at = new Date(
    day.getFullYear(),
    day.getMonth(),
    day.getDate() + ahead,
    MORNING_HOUR,
  ).getTime();
  return { at, label: `Until ${tonight ? 'this' : 'tomorrow'} morning (08:00)` };
}
