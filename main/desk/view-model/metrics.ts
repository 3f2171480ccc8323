import type { LoadTally } from '../../base/store/models.ts';
import type { Reading } from '../../engine/vitals/flags.ts';
import type { Tally } from '../../engine/vitals/vitals.ts';
import type { StatusView } from './status.ts';

export interface Metric {
  name: string;
  type: 'gauge' | 'counter';
  help: string;
  samples: { labels: Record<string, string>; value: number }[];
}

export interface MetricsInput {
  status: StatusView;
  sizes: { database: number; log: number };
  /** What only a living host knows. */
  life: { reading: Reading; tally: Tally; loads: LoadTally } | null;
}

/**
 * The figures as Prometheus takes them, with its own rules for names: base units, `_total` for counters,
 * which begin at the start of the host. Pure.
 */
export function metricsView({ status, sizes, life }: MetricsInput): Metric[] {
  const { run, queue, gates } = status;
  const all = [
    gauge('lull_up', 'Whether a host runs.', status.host ? 1 : 0),
    gauge('lull_info', 'Version of the newest host.', 1, { version: run?.version ?? '' }),
    ...(run ? [gauge('lull_start_time_seconds', 'When it started.', run.startedAt / 1000)] : []),
    by('gauge', 'lull_jobs', 'Jobs that have not ended.', 'state', queue),
    gauge('lull_drafts_pending', 'Drafts that wait for a decision.', status.drafts.pending),
    by(
      ...(['gauge', 'lull_gate_open', 'Whether a gate lets work through.', 'gate'] as const),
      Object.fromEntries(gates.map(({ id, open }) => [id, open ? 1 : 0])),
    ),
    gauge('lull_database_bytes', 'Size of the database.', sizes.database),
    gauge('lull_database_log_bytes', 'Size of the write-ahead log.', sizes.log),
  ];
  if (!life) return all;
  const { reading, tally, loads } = life;
  const { health, loopDelayMs, residentBytes, diskFreeBytes } = reading;
  all.push(
    gauge('lull_stalled', 'Whether work may run and nothing moves.', health.stalled ? 1 : 0),
    gauge('lull_wedged_jobs', 'Jobs that run and show no progress.', health.wedged.length),
    by('counter', 'lull_runs_settled_total', 'Ends of runs.', 'outcome', tally.settled),
    by('counter', 'lull_yields_total', 'Times a job gave way.', 'cause', tally.yielded),
    by('counter', 'lull_tokens_total', 'Tokens, where models count them.', 'direction', {
      prompt: tally.promptTokens,
      output: tally.outputTokens,
    }),
    counter('lull_model_loads_total', 'Models loaded.', loads.loads),
    counter('lull_model_swaps_total', 'Loads that put another model out.', loads.swaps),
    counter('lull_model_refusals_total', 'Loads refused for lack of room.', loads.refusals),
    gauge('lull_resident_memory_bytes', 'Memory of the host itself.', residentBytes),
  );
  if (loopDelayMs !== null) {
    const help = 'Longest delay of the event loop in the last sample.';
    all.push(gauge('lull_event_loop_delay_seconds', help, loopDelayMs / 1000));
  }
  if (diskFreeBytes !== null) {
    all.push(gauge('lull_disk_free_bytes', 'Free space at the data folder.', diskFreeBytes));
  }
  return all;
}

function gauge(name: string, help: string, value: number, labels = {}): Metric {
  return { name, type: 'gauge', help, samples: [{ labels, value }] };
}

function counter(name: string, help: string, value: number): Metric {
  return { name, type: 'counter', help, samples: [{ labels: {}, value }] };
}

/** One sample for each value, told apart by one label. */
function by(
  type: Metric['type'],
  name: string,
  help: string,
  label: string,
  values: Readonly<Record<string, number>>,
): Metric {
  const samples = Object.entries(values).map(([key, value]) => ({
    labels: { [label]: key },
    value,
  }));
  return { name, type, help, samples };
}
