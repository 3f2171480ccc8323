import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { HEAT, type Heat } from '../machine.ts';
import { attempt, known, type Reading, unknown } from '../reading.ts';

/** Sensors that a controller has to be asked for take milliseconds, and no machine heats up at once. */
const KEPT_MS = 10_000;

/** What the kernel does at a trip point (sysfs-class-thermal): cools, throttles, warns, switches off. */
const HEAT_OF_TRIP: readonly [RegExp, Heat][] = [
  [/^active/, 'fair'],
  [/^passive$/, 'serious'],
  [/^(hot|critical)$/, 'critical'],
];

interface Zone {
  folder: string;
  /** Thousandths of a degree Celsius, and what reaching them means. */
  trips: { at: number; heat: Heat }[];
}

export interface HeatProbe {
  /** `now` is wall time, epoch ms. */
  read(now: number): Reading<Heat>;
}

/** How hot the kernel's thermal zones are, by their own trip points. `root` is `/sys/class/thermal`. */
export function thermalZones(root: string): HeatProbe {
  let zones: Zone[] | null = null;
  let last = { at: Number.NEGATIVE_INFINITY, reading: null as Reading<Heat> | null };

  function look(): Reading<Heat> {
    zones ??= zonesIn(root);
    const heats = zones.flatMap((zone) => heatOf(zone) ?? []);
    if (heats.length === 0) return unknown(root, 'no sensor tells when it is too hot');
    return known(root, HEAT[Math.max(...heats.map((heat) => HEAT.indexOf(heat)))] as Heat);
  }

  return {
    read(now) {
      const age = now - last.at;
      if (!last.reading || age < 0 || age >= KEPT_MS)
        last = { at: now, reading: attempt(root, look) };
      return last.reading as Reading<Heat>;
    },
  };
}

function zonesIn(root: string): Zone[] {
  return readdirSync(root)
    .filter((name) => /^thermal_zone\d+$/.test(name))
    .map((name) => ({ folder: join(root, name), trips: tripsOf(join(root, name)) }))
    .filter(({ trips }) => trips.length > 0);
}

/** Trip points that are not set are at zero degrees or below. */
function tripsOf(folder: string): Zone['trips'] {
  return readdirSync(folder).flatMap((name) => {
    const number = /^trip_point_(\d+)_type$/.exec(name)?.[1];
    if (number === undefined) return [];
    const type = text(join(folder, name)) ?? '';
    const heat = HEAT_OF_TRIP.find(([pattern]) => pattern.test(type))?.[1];
    const at = degrees(join(folder, `trip_point_${number}_temp`));
    return heat && at !== null && at > 0 ? [{ at, heat }] : [];
  });
}

/** Null for a sensor that is switched off or gives nothing, as that of a radio does while it sleeps. */
function heatOf({ folder, trips }: Zone): Heat | null {
  const temperature = degrees(join(folder, 'temp'));
  if (temperature === null || text(join(folder, 'mode')) === 'disabled') return null;
  const reached = trips.filter(({ at }) => temperature >= at).map(({ heat }) => HEAT.indexOf(heat));
  return HEAT[Math.max(0, ...reached)] as Heat;
}

function degrees(file: string): number | null {
  const value = text(file);
  return value !== null && /^-?\d+$/.test(value) ? Number(value) : null;
}

function text(file: string): string | null {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return null;
  }
}
