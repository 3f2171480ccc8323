import type { Facts } from '../../main/engine/gates/facts.ts';
import type { JobRow, Rows } from './rows.ts';
import type { World } from './world.ts';

/**
 * What may start, read anew from the written rules and the world as it is: it shares no code with the
 * gates. Each answer is null, or why not.
 */
export interface Oracle {
  floor(): string | null;
  pausedAll(rows: Rows): boolean;
  present(rows: Rows): boolean;
  onBattery(): boolean;
  /** Why a heavy job may not start, the waiver of its claim considered. */
  heavy(rows: Rows, job: Pick<JobRow, 'waiver'>): string | null;
}

export const isHeavy = ({ tier }: Pick<JobRow, 'tier'>) =>
  tier === 'synthesis' || tier === 'stretch';

interface Waiver {
  presence: boolean;
  hours: boolean;
  heavyPause: boolean;
  battery: boolean;
}

const NOTHING_WAIVED: Waiver = { presence: false, hours: false, heavyPause: false, battery: false };

export function oracleOf(world: World): Oracle {
  const config = () => world.hosts.config;

  function onBattery(): boolean {
    const { powerSource, onBattery, draining } = world.facts;
    if (powerSource === null) return true;
    if (powerSource === 'none') return false;
    return onBattery === true || draining === true;
  }

  function floor(): string | null {
    const { percent } = world.facts;
    const floor = config().power.floorPercent;
    return onBattery() && percent !== null && percent <= floor
      ? `the battery is at ${percent} %, and the floor is ${floor} %`
      : null;
  }

  function justWoken(facts: Facts): boolean {
    const { wokeAt } = world.machine;
    const { since } = world.hosts;
    if (wokeAt === null || since === null || facts.displayAsleep) return false;
    const awake = world.time.monotonic - wokeAt;
    // A host that began after the wake cannot know of it.
    const begun = world.time.real - since;
    return begun > awake && awake < config().presence.idleThresholdSeconds * 1000;
  }

  function present(rows: Rows): boolean {
    const word = rows.word(world.time.wall);
    if (word) return word === 'here';
    const { facts } = world;
    if (facts.locked) return false;
    if (justWoken(facts)) return true;
    if (facts.micInUse || facts.displayAssertion) return true;
    if (facts.displayAsleep) return false;
    return facts.idleSeconds === null || facts.idleSeconds < config().presence.idleThresholdSeconds;
  }

  const lasts = (pause: { until: number | null } | null) =>
    pause !== null && (pause.until === null || pause.until > world.time.wall);

  return {
    floor,
    onBattery,
    present,
    pausedAll: (rows) => lasts(rows.pauses().all),
    heavy(rows, job) {
      const waived: Waiver = job.waiver ? JSON.parse(job.waiver) : NOTHING_WAIVED;
      const { facts } = world;
      if (!waived.presence && present(rows)) return 'the owner is here';
      if (!waived.battery && onBattery()) return 'the machine is on battery';
      if (!waived.heavyPause && lasts(rows.pauses().heavy)) return 'heavy work is paused';
      if (facts.thermal === 'serious' || facts.thermal === 'critical') return 'the machine is hot';
      if (facts.lowPower) return 'Low Power Mode is on';
      if (facts.pressure === 'critical') return 'memory is nearly used up';
      if (facts.exclusiveApp) return `${facts.exclusiveApp} has the machine`;
      if (!waived.hours && !withinHours()) return 'it is outside the hours for heavy work';
      return null;
    },
  };

  /** The simulated owner gives hours of every day alone, in UTC: `from` before `to`. */
  function withinHours(): boolean {
    const { heavy } = config().hours;
    if (heavy === null) return true;
    const minutes = Math.floor(world.time.wall / 60_000) % 1440;
    const [hours] = heavy;
    if (!hours) return false;
    const at = (text: string) => Number(text.slice(0, 2)) * 60 + Number(text.slice(3));
    const [from, to] = [at(hours.from), at(hours.to)];
    return from < to ? minutes >= from && minutes < to : minutes >= from || minutes < to;
  }
}
