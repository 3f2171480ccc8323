import type { Command } from 'commander';
import type { MetricFamily, RunRow } from '../contract.ts';
import type { Act } from './act.ts';
import { prometheusText } from './metrics-text.ts';
import { formatMoment } from './moment.ts';
import { readWhole } from './parse.ts';
import { table } from './table.ts';

/** `lull metrics` and `lull runs`. */
export function addVitalCommands(program: Command, act: Act): void {
  act(
    program.command('metrics').description('figures of Lull itself, as Prometheus reads them'),
    async ({ call }) => {
      const value: MetricFamily[] = await call('metrics', {});
      return { value, lines: prometheusText(value) };
    },
  );
  act<{ limit?: number }>(
    program
      .command('runs')
      .description('when Lull ran, and how each run ended')
      .option('--limit <number>', 'so many at most', readWhole(1, 500)),
    async ({ call, options, now, width }) => {
      const value = await call('runs.list', options.limit ? { limit: options.limit } : {});
      return {
        value,
        lines: value.length ? runTable(value, now, width) : ['Lull has not run here.'],
      };
    },
  );
}

const ENDS: Readonly<Record<RunRow['end'], string>> = {
  runs: 'runs',
  clean: 'stopped',
  unclean: 'died',
  dead: 'died, not started since',
};

function runTable(rows: RunRow[], now: number, width: number | null): string[] {
  const moment = (at: number | null) => (at === null ? null : formatMoment(at, now));
  return table<RunRow>(
    [
      { head: 'RUN', cell: (row) => row.id, right: true },
      { head: 'STARTED', cell: (row) => moment(row.startedAt) },
      { head: 'ENDED', cell: (row) => (row.end === 'clean' ? moment(row.stoppedAt) : null) },
      { head: 'HOW', cell: (row) => ENDS[row.end], yields: true },
      { head: 'PID', cell: (row) => row.pid, right: true },
      { head: 'VERSION', cell: (row) => row.version },
    ],
    rows,
    width,
  );
}
