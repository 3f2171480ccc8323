import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import { TIERS, type Tier } from '../../base/config-schema.ts';
import { gigabytes } from '../../base/gigabytes.ts';
import { countOf } from '../../engine/gates/words.ts';
import type { FoundView, ModelsView } from '../contract.ts';
import type { Act } from './act.ts';
import { formatMoment, formatSpan } from './moment.ts';
import { facts, table } from './table.ts';

/** What is counted: the last week. */
const WEEK_MS = 7 * 86_400_000;
const LOADS_SHOWN = 10;

/** `lull models …`. */
export function addModelCommands(program: Command, act: Act): void {
  const models = program.command('models').description('models in memory, and which one does what');
  act(models, async ({ call, now, width }) => {
    const value = await call('models.show', { since: now - WEEK_MS });
    return { value, lines: modelLines(value, now, width) };
  });
  act(
    models
      .command('find')
      .description('look for model servers on this machine, and propose who does what'),
    async ({ call, width }) => {
      const value = await call('models.discover', {});
      return { value, lines: foundLines(value, width) };
    },
  );
  act<{ memory?: Figures }>(
    models
      .command('adopt')
      .description('look, and take over what is proposed')
      .option(
        '--memory <tier=GB...>',
        'what a model really uses, where its server cannot say',
        readFigure,
      ),
    async ({ call, options, width }) => {
      const found = await call('models.discover', {});
      const value = await call('models.adopt', { memoryGb: options.memory ?? {} });
      return { value, lines: [...found.proposal.reasons, '', ...lineupTable(value, width)] };
    },
  );
}

type Figures = Partial<Record<Tier, number>>;

function readFigure(text: string, before: Figures = {}): Figures {
  const [tier, figure = ''] = text.split('=', 2);
  const known = TIERS.find((one) => one === tier);
  if (!known || !(Number(figure) > 0)) {
    throw new InvalidArgumentError('Write a tier and GB, for example synthesis=17.5.');
  }
  return { ...before, [known]: Number(figure) };
}

function modelLines(models: ModelsView, now: number, width: number | null): string[] {
  const { tally, residents, loads } = models;
  const lines = facts([
    ['memory', `${gigabytes(models.usedBytes)} of ${gigabytes(models.budgetBytes)} used`],
    [
      'last 7 days',
      `${countOf(tally.loads, 'load')}, ${countOf(tally.swaps, 'swap')}, ${countOf(tally.refusals, 'refusal')}`,
    ],
    ['note', models.forced ? 'started with --model offline: no other model serves' : null],
    ['note', models.chosen ? null : 'nothing is chosen yet: lull models find'],
  ]);
  lines.push('', ...lineupTable(models, width), '');
  if (residents.length === 0) lines.push('No model is in memory, as far as Lull has seen.');
  else lines.push(...residentTable(residents, width));
  if (loads.length > 0) lines.push('', ...loadTable(loads.slice(0, LOADS_SHOWN), now, width));
  return lines;
}

function lineupTable({ lineup }: ModelsView, width: number | null): string[] {
  return table<ModelsView['lineup'][number]>(
    [
      { head: 'TIER', cell: (row) => row.tier },
      { head: 'MODEL', cell: (row) => row.model, yields: true },
      { head: 'SERVER', cell: (row) => row.label },
      { head: 'WINDOW', cell: (row) => row.numCtx, right: true },
    ],
    lineup,
    width,
  );
}

type Resident = ModelsView['residents'][number];

function residentTable(rows: Resident[], width: number | null): string[] {
  return table<Resident>(
    [
      { head: 'IN MEMORY', cell: (row) => row.model, yields: true },
      { head: 'SERVER', cell: (row) => row.server },
      {
        head: 'USES',
        cell: (row) => (row.bytes === null ? '?' : gigabytes(row.bytes)),
        right: true,
      },
      { head: 'WINDOW', cell: (row) => row.numCtx, right: true },
      {
        head: 'LOADED BY',
        cell: (row) => (row.presumed ? 'perhaps there' : row.ours ? 'Lull' : 'another program'),
      },
    ],
    rows,
    width,
  );
}

type Load = ModelsView['loads'][number];

function loadTable(rows: Load[], now: number, width: number | null): string[] {
  return table<Load>(
    [
      { head: 'WHEN', cell: (row) => formatMoment(row.at, now) },
      { head: 'WHAT', cell: (row) => row.action },
      { head: 'MODEL', cell: (row) => row.model, yields: true },
      { head: 'TOOK', cell: (row) => (row.millis === null ? null : formatSpan(row.millis)) },
      { head: 'WHY', cell: (row) => row.detail ?? (row.swapped ? 'a swap' : null), yields: true },
    ],
    rows,
    width,
  );
}

function foundLines({ servers, proposal }: FoundView, width: number | null): string[] {
  const lines = servers.map(({ name, url, problem, models }) => {
    const what = problem ?? `${models.length} ${models.length === 1 ? 'model' : 'models'}`;
    return `${name} at ${url}: ${what}`;
  });
  if (lines.length > 0) lines.push('');
  lines.push(...proposal.reasons);
  const { tiers } = proposal;
  if (tiers) {
    const rows = TIERS.map((tier) => ({ tier, ...tiers[tier] }));
    lines.push(
      '',
      ...table<(typeof rows)[number]>(
        [
          { head: 'TIER', cell: (row) => row.tier },
          { head: 'MODEL', cell: (row) => row.model, yields: true },
          { head: 'SERVER', cell: (row) => row.server },
          { head: 'WINDOW', cell: (row) => row.numCtx, right: true },
          {
            head: 'USES',
            cell: (row) => (row.bytes === null ? '?' : gigabytes(row.bytes)),
            right: true,
          },
          { head: '', cell: (row) => (row.memoryGb === undefined ? '' : 'confirm') },
        ],
        rows,
        width,
      ),
      '',
      'Take it over with: lull models adopt',
    );
  }
  if (proposal.left.length > 0) lines.push('', 'Left out:');
  for (const { server, model, why } of proposal.left) lines.push(`  ${model} on ${server}: ${why}`);
  return lines;
}
