import { z } from 'zod';
import { SERIES, type SeriesName } from '../../engine/vitals/series.ts';
import { at, command, id, instant, limit } from './fields.ts';

/** How the host itself is: its lives, its figures now, and over time. */

export const runRow = z.object({
  id,
  version: z.string(),
  pid: z.int(),
  startedAt: at,
  /** For one that died: when the next one found it. */
  stoppedAt: at.nullable(),
  end: z.enum(['runs', 'clean', 'unclean', 'dead']),
});

/** Figures of one name, in the terms of Prometheus. */
export const metricFamily = z.object({
  name: z.string(),
  type: z.enum(['gauge', 'counter']),
  help: z.string(),
  samples: z.array(z.object({ labels: z.record(z.string(), z.string()), value: z.number() })),
});

export const seriesView = z.object({
  name: z.string(),
  help: z.string(),
  grain: z.enum(['raw', 'hour', 'day']),
  points: z.array(
    z.object({ at, count: z.int(), sum: z.number(), least: z.number(), most: z.number() }),
  ),
});

const seriesName = z.enum(Object.keys(SERIES) as [SeriesName, ...SeriesName[]]);

export const vitalsCommands = {
  metrics: command(true, z.strictObject({}), z.array(metricFamily)),
  'vitals.series': command(true, z.strictObject({ name: seriesName, since: instant }), seriesView),
  'runs.list': command(true, z.strictObject({ limit }), z.array(runRow)),
} as const;
