import type { Facts, FactsSource } from '../../main/engine/gates/facts.ts';
import type { SleepHold } from '../../main/engine/supervisor/sleep-keeper.ts';
import { HOUR, MINUTE, type Mortal, SECOND, type Timeline } from './timeline.ts';

export type Build = 'laptop' | 'desktop' | 'ups';

/** Percent an hour. */
const DISCHARGE = -11;
const CHARGE = 35;
const SLIP = -4;
/** A hold on system sleep ends by itself. */
const HOLD_MS = 15 * MINUTE;

/** The machine and what its probes can see of it and of its owner. */
export class Machine {
  readonly build: Build;
  /** The owner's hands are on it. */
  active = false;
  locked = false;
  displayAsleep = false;
  micInUse = false;
  displayAssertion = false;
  lowPower = false;
  thermal: Facts['thermal'] = 'nominal';
  pressure: Facts['pressure'] = 'normal';
  exclusiveApp = '';
  /** Readings that fail for a while. */
  idleUnknown = false;
  powerUnknown = false;
  percentUnknown = false;
  /** When the last sleep ended, in time awake; null before the first. */
  wokeAt: number | null = null;
  holdUntil = Number.NEGATIVE_INFINITY;
  readonly #time: Timeline;
  readonly #listeners = new Set<{ host: Mortal; changed: () => void }>();
  #plugged = true;
  #slipping = false;
  #percent = 90;
  #percentAt = 0;
  #lastInput = 0;

  constructor(time: Timeline, build: Build) {
    this.#time = time;
    this.build = build;
  }

  get plugged(): boolean {
    return this.#plugged;
  }

  get percent(): number {
    const hours = (this.#time.real - this.#percentAt) / HOUR;
    return Math.min(100, Math.max(1, this.#percent + hours * this.#rate()));
  }

  setPower(plugged: boolean, slipping = false): void {
    this.#percent = this.percent;
    this.#percentAt = this.#time.real;
    this.#plugged = plugged;
    this.#slipping = plugged && slipping;
  }

  sleep(): void {
    this.setPower(this.#plugged, this.#slipping);
    this.#time.asleep = true;
  }

  wake(): void {
    if (!this.#time.asleep) return;
    this.setPower(this.#plugged, this.#slipping);
    this.#time.asleep = false;
    this.wokeAt = this.#time.monotonic;
  }

  touch(active: boolean): void {
    this.#lastInput = this.#time.real;
    this.active = active;
    if (active) {
      this.locked = false;
      this.displayAsleep = false;
    }
  }

  /** The facts of this moment; asked twice in one moment they are the same. */
  facts(): Facts {
    const { build } = this;
    const onBattery = build !== 'desktop' && !this.#plugged;
    const percent = Math.floor(this.percent);
    const power = this.powerUnknown
      ? { onBattery: null, powerSource: null, charging: null, draining: null }
      : {
          onBattery: build === 'desktop' ? false : onBattery,
          powerSource: this.#source(onBattery),
          charging: build !== 'desktop' && this.#plugged && !this.#slipping && percent < 100,
          draining: build !== 'desktop' && (onBattery || this.#slipping),
        };
    return {
      ...power,
      idleSeconds: this.idleUnknown ? null : this.idleSeconds(),
      percent: build === 'desktop' || this.percentUnknown ? null : percent,
      locked: this.locked,
      displayAsleep: this.displayAsleep,
      displayAssertion: this.displayAssertion,
      micInUse: this.micInUse,
      remote: false,
      lowPower: this.lowPower,
      thermal: this.thermal,
      pressure: this.pressure,
      memAvailableGb: 8,
      exclusiveApp: this.exclusiveApp,
    };
  }

  /** Whoever works touches something every 20 s; the counter runs on while the machine sleeps. */
  idleSeconds(): number {
    const since = (this.#time.real - this.#lastInput) / SECOND;
    return this.active ? since % 20 : since;
  }

  /** Tells the host that something has changed, as an event of the system would. */
  announce(): void {
    if (this.#time.asleep) return;
    for (const { host, changed } of this.#listeners) if (host.alive) changed();
  }

  factsFor(host: Mortal): FactsSource {
    return {
      read: () => this.facts(),
      doctor: () => [],
      watch: (changed) => {
        const listener = { host, changed };
        this.#listeners.add(listener);
        return () => this.#listeners.delete(listener);
      },
    };
  }

  holdFor(host: Mortal, told: (what: 'hold' | 'release') => void): SleepHold {
    return {
      hold: () => {
        if (!host.alive) return;
        this.holdUntil = this.#time.monotonic + HOLD_MS;
        told('hold');
      },
      release: () => {
        if (!host.alive) return;
        this.holdUntil = Number.NEGATIVE_INFINITY;
        told('release');
      },
      check: async () => ({ ok: true, value: 'simulated' }),
    };
  }

  /** The helper that holds sleep off ends with its host. */
  hostDied(): void {
    this.holdUntil = Number.NEGATIVE_INFINITY;
    for (const one of this.#listeners) if (!one.host.alive) this.#listeners.delete(one);
  }

  #source(onBattery: boolean): Facts['powerSource'] {
    if (this.build === 'desktop') return 'none';
    if (this.build === 'ups') return 'ups';
    return onBattery ? 'battery' : 'mains';
  }

  #rate(): number {
    if (this.build === 'desktop') return 0;
    if (this.#slipping) return SLIP;
    if (this.#plugged) return CHARGE;
    return this.#time.asleep ? -0.5 : DISCHARGE;
  }
}
