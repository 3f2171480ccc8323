import type { Command } from 'commander';
import type { ConditionRow } from '../contract.ts';
import type { Act } from './act.ts';
import { needed } from './parse.ts';
import { table } from './table.ts';

/** `lull watch …`. */
export function addWatchCommands(program: Command, act: Act): void {
  const watch = program.command('watch').description('products that are ordered when they run low');
  act<{ sku?: string; session?: string; to?: string }>(
    watch
      .command('add')
      .description('make a draft order whenever a product runs low')
      .argument('<id>', 'a name of your choice')
      .option('--sku <sku>', 'the product')
      .option('--session <name>', 'the conversation it belongs to')
      .option('--to <where>', 'where the report goes: local or telegram:ACCOUNT:ID'),
    async ({ call, options }, id: string) => {
      const { session, to } = options;
      const sku = needed(options.sku, '--sku');
      const value = await call('watch.add', {
        id,
        sku,
        ...(session && { session }),
        ...(to && { to }),
      });
      return { value, lines: [`${value.id} watches ${value.sku}.`] };
    },
  );
  act(
    watch.command('remove').description('stop watching').argument('<id>', 'its name'),
    async ({ call }, id: string) => {
      const value = await call('watch.remove', { id });
      return {
        value,
        lines: [`${value.id} no longer watches ${value.sku}; work it asked for stays.`],
      };
    },
  );
  act(watch.command('list').description('what is watched'), async ({ call, width }) => {
    const value = await call('watch.list', {});
    return { value, lines: value.length ? conditionTable(value, width) : ['Nothing is watched.'] };
  });
}

function conditionTable(rows: ConditionRow[], width: number | null): string[] {
  return table<ConditionRow>(
    [
      { head: 'ID', cell: (row) => row.id },
      { head: 'SKU', cell: (row) => row.sku },
      { head: 'SESSION', cell: (row) => row.session },
      {
        head: 'STATE',
        cell: (row) => (row.enabled ? (row.armed ? 'armed' : 'low, asked for') : 'off'),
      },
      { head: 'EPISODE', cell: (row) => row.generation, right: true },
      { head: 'PROBLEM', cell: (row) => row.problem, yields: true },
    ],
    rows,
    width,
  );
}
