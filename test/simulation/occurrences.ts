import { DAY, HOUR, MINUTE } from './timeline.ts';

/** A rule as the schedules table keeps it. */
export type Rule =
  | { kind: 'interval'; everySeconds: number; first: number }
  | { kind: 'cron'; expression: string; zone: string };

/**
 * The due times of the rules that the simulated owner uses, worked out by walking the clock minute by
 * minute: intervals, `M * * * *`, `M H * * *` and `M H * * D`. It knows nothing of the engine's way.
 */
export class Occurrences {
  readonly #from: number;
  readonly #to: number;
  readonly #walked = new Map<string, readonly number[]>();

  constructor(from: number, to: number) {
    this.#from = from;
    this.#to = to;
  }

  /** How many lie in [from, to). */
  between(rule: Rule, from: number, to: number): number {
    if (to <= from) return 0;
    if (rule.kind === 'interval') {
      const step = rule.everySeconds * 1000;
      const before = (at: number) => Math.max(0, Math.ceil((at - rule.first) / step));
      return before(to) - before(from);
    }
    return this.#walk(rule.expression, rule.zone).filter((at) => at >= from && at < to).length;
  }

  includes(rule: Rule, at: number): boolean {
    return this.between(rule, at, at + 1) === 1;
  }

  #walk(expression: string, zone: string): readonly number[] {
    const key = `${expression} ${zone}`;
    const known = this.#walked.get(key);
    if (known) return known;
    const [minute, hour, , , day] = expression.split(' ') as [
      string,
      string,
      string,
      string,
      string,
    ];
    const found: number[] = [];
    let last = Number.NEGATIVE_INFINITY;
    // The wall as far as it was shown: in autumn an hour comes twice, in spring one is left out.
    let shownTo = Number.NEGATIVE_INFINITY;
    for (let block = this.#from; block < this.#to; block += 30 * MINUTE) {
      const offset = offsetOf(zone, block);
      for (let at = block; at < block + 30 * MINUTE; at += MINUTE) {
        const wall = at + offset;
        const skipped = shownTo !== Number.NEGATIVE_INFINITY && wall > shownTo + MINUTE;
        for (let shown = skipped ? shownTo + MINUTE : wall; shown <= wall; shown += MINUTE) {
          if (!matches(shown, minute, hour, day)) continue;
          // A fixed time that comes twice runs the first time; each hour of an hourly one is its own.
          if (hour !== '*' && wall <= shownTo) continue;
          if (at === last) continue;
          last = at;
          found.push(at);
        }
        shownTo = Math.max(shownTo, wall);
      }
    }
    this.#walked.set(key, found);
    return found;
  }
}

function matches(wall: number, minute: string, hour: string, day: string): boolean {
  return (
    Math.floor(wall / MINUTE) % 60 === Number(minute) &&
    (hour === '*' || Math.floor(wall / HOUR) % 24 === Number(hour)) &&
    (day === '*' || new Date(wall).getUTCDay() === Number(day))
  );
}

const formats = new Map<string, Intl.DateTimeFormat>();
const offsets = new Map<string, number>();

/** Milliseconds that the zone's wall clock is ahead of UTC at a moment; rules of one zone share them. */
function offsetOf(zone: string, at: number): number {
  const key = `${zone} ${at}`;
  const known = offsets.get(key) ?? lookUpOffset(zone, at);
  offsets.set(key, known);
  return known;
}

function lookUpOffset(zone: string, at: number): number {
  const format =
    formats.get(zone) ??
    new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      ...{ year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' },
    });
  formats.set(zone, format);
  const parts = Object.fromEntries(
    format.formatToParts(at).map(({ type, value }) => [type, Number(value)]),
  );
  const { year = 0, month = 0, day = 0, hour = 0, minute = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute) - Math.floor(at / MINUTE) * MINUTE;
}

/** The stretch that a run of some days can touch, its end phase and wrong clocks among it. */
export function occurrencesFor(start: number, days: number): Occurrences {
  const from = Math.floor((start - 4 * DAY) / HOUR) * HOUR;
  return new Occurrences(from, from + (days + 50) * DAY);
}
