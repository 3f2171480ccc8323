import type { Store } from '../base/store/database.ts';
import type { RunsTable } from '../base/store/runs.ts';
import { metricsView } from '../desk/view-model/metrics.ts';
import { runRow } from '../desk/view-model/run.ts';
import type { StatusView } from '../desk/view-model/status.ts';
import type { Models } from '../engine/models/models.ts';
import { SERIES, type SeriesKeeper } from '../engine/vitals/series.ts';
import type { Vitals } from '../engine/vitals/vitals.ts';
import type { Handlers } from './dispatch.ts';

export interface VitalsCommandParts {
  readonly now: () => number;
  readonly views: { status(): StatusView };
  readonly store: Pick<Store, 'sizes'>;
  readonly models: Pick<Models, 'status'>;
  readonly series: SeriesKeeper;
  readonly runs: Pick<RunsTable, 'list'>;
  /** Null where no host lives. */
  readonly vitals: () => Pick<Vitals, 'reading' | 'tally'> | null;
}

/** The commands on how the host itself is. */
export function vitalsHandlers(
  parts: VitalsCommandParts,
): Pick<Handlers, 'metrics' | 'vitals.series' | 'runs.list'> {
  return {
    metrics() {
      const status = parts.views.status();
      const vitals = parts.vitals();
      const since = status.run?.startedAt ?? 0;
      return metricsView({
        status,
        sizes: parts.store.sizes(),
        life: vitals && {
          reading: vitals.reading(),
          tally: vitals.tally(),
          loads: parts.models.status(since).tally,
        },
      });
    },
    'vitals.series': ({ name, since }) => ({
      ...{ name, help: SERIES[name] },
      ...parts.series.since(name, since, parts.now()),
    }),
    'runs.list': ({ limit }) => {
      const alive = parts.views.status().host !== null;
      return parts.runs.list(limit).map((run, index) => runRow(run, alive && index === 0));
    },
  };
}
