import { type Command, Option } from 'commander';
import type { Clock } from '../../base/clock.ts';
import { LullError } from '../../base/errors.ts';
import { decimal, money } from '../../base/money.ts';
import type { Approval, DraftDetail, DraftRow } from '../contract.ts';
import type { Act, Shown } from './act.ts';
import { readListing } from './listing.ts';
import { formatMoment, formatSpan } from './moment.ts';
import { futureReader, readDuration, readId, readWhole } from './parse.ts';
import { facts, table } from './table.ts';

/** `lull drafts …`. */
export function addDraftCommands(program: Command, act: Act, clock: Clock): void {
  const drafts = program.command('drafts').description('results that wait for your decision');
  act<{ state?: DraftRow['state']; before?: number; limit?: number }>(
    drafts
      .command('list')
      .description('drafts, the newest first')
      .option('--state <state>', 'only those in this state, for example pending')
      .option('--before <id>', 'only those older than this one', readId)
      .option('--limit <number>', 'so many at most', readWhole(1, 1_000_000)),
    async ({ call, options, now, width, json }) => {
      const { rows, more } = await readListing<DraftRow>(
        { limit: options.limit, json },
        (last, limit) => {
          const before = last?.id ?? options.before;
          return call('drafts.list', {
            ...(options.state && { state: options.state }),
            ...(before !== undefined && { before }),
            limit,
          });
        },
      );
      const lines = rows.length ? draftTable(rows, now, width) : ['No drafts.'];
      if (more) lines.push('', `More: lull drafts list --before ${rows.at(-1)?.id}`);
      return { value: rows, lines };
    },
  );
  act(
    drafts.command('show').description('one draft, whole').argument('<id>', 'its number', readId),
    async ({ call, now, width }, id: number) => {
      const value = await call('drafts.show', { id });
      return { value, lines: draftLines(value, now, width) };
    },
  );
  act<{ confirm?: string }>(
    drafts
      .command('approve')
      .description('approve a draft: what it proposes is done')
      .argument('<id>', 'its number', readId)
      .option('--confirm <token>', 'approve although something has changed since it was made'),
    async ({ call, options }, id: number) => {
      const { confirm } = options;
      const value = await call('drafts.approve', { id, ...(confirm !== undefined && { confirm }) });
      return approvalOf(id, value);
    },
  );
  act(
    drafts
      .command('dismiss')
      .description('put a draft away')
      .argument('<id>', 'its number', readId),
    async ({ call }, id: number) => {
      const value = await call('drafts.dismiss', { id });
      return {
        value,
        lines: [`Draft ${id} is ${value.state}. Take it back with: lull drafts restore ${id}`],
      };
    },
  );
  act<{ for?: number; until?: number; nextLull?: true }>(
    drafts
      .command('snooze')
      .description('put a draft off, until tomorrow morning where nothing else is said')
      .argument('<id>', 'its number', readId)
      .option('--for <duration>', 'so long, for example 1h', readDuration)
      .addOption(
        new Option('--until <time>', 'until then, for example 18:00')
          .argParser(futureReader(clock))
          .conflicts('for'),
      )
      .addOption(
        new Option('--next-lull', 'until you next leave').conflicts('for').conflicts('until'),
      ),
    async ({ call, options, now }, id: number) => {
      const until = options.nextLull ? 'next-lull' : options.until;
      const value = await call('drafts.snooze', {
        id,
        ...(options.for !== undefined && { forSeconds: options.for }),
        ...(until !== undefined && { until }),
      });
      return { value, lines: [`Draft ${id} is ${snoozeText(value, now)}.`] };
    },
  );
  act(
    drafts
      .command('wake')
      .description('bring a snoozed draft back')
      .argument('<id>', 'its number', readId),
    async ({ call }, id: number) => {
      const value = await call('drafts.wake', { id });
      return { value, lines: [`Draft ${id} is ${value.state}.`] };
    },
  );
  act(
    drafts
      .command('restore')
      .description('take a dismissal back')
      .argument('<id>', 'its number', readId),
    async ({ call }, id: number) => {
      const value = await call('drafts.restore', { id });
      return { value, lines: [`Draft ${id} is ${value.state}.`] };
    },
  );
}

function approvalOf(id: number, value: Approval): Shown {
  if (value.outcome === 'applied') {
    return {
      value,
      lines: [
        `Draft ${id} is approved.`,
        ...value.files.map((file) => `Written: ${file}`),
        ...(value.job === undefined ? [] : [`Asked again as job ${value.job}.`]),
      ],
    };
  }
  if (value.outcome === 'failed') {
    const refusal = new LullError(
      'failed',
      `draft ${id} is approved, but could not be carried out: ${value.error}`,
      `try again with: lull drafts approve ${id}`,
    );
    return { value, lines: [], refusal };
  }
  const refusal = new LullError(
    'refused',
    `draft ${id} was not approved: something has changed since it was made`,
    `if it is still right: lull drafts approve ${id} --confirm ${value.confirm}`,
  );
  return { value, lines: value.changes.map((change) => `Changed: ${change}`), refusal };
}

function snoozeText({ snoozed }: DraftRow, now: number): string {
  if (!snoozed) return 'not snoozed';
  if (snoozed.until === null) return 'snoozed until you next leave';
  return `snoozed until ${formatMoment(snoozed.until, now)}`;
}

function totalOf({ totalCents, currency }: DraftRow): string {
  return totalCents === null ? '' : amount(totalCents, currency);
}

function changedLines(
  { files, total, patch, patchCut }: NonNullable<DraftDetail['changes']>,
  width: number | null,
): string[] {
  const figure = (lines: number | null) => lines ?? 'not text';
  const rest = total.files - files.length;
  return [
    ...table<(typeof files)[number]>(
      [
        { head: 'FILE', cell: (file) => file.path, yields: true },
        { head: 'ADDED', cell: (file) => figure(file.added), right: true },
        { head: 'REMOVED', cell: (file) => figure(file.removed), right: true },
      ],
      files,
      width,
    ),
    ...(rest > 0 ? [`and ${rest} more`] : []),
    '',
    ...patch.trimEnd().split('\n'),
    ...(patchCut ? ['(the beginning of it; the branch holds the rest)'] : []),
  ];
}

function amount(cents: number, currency: string | null): string {
  return currency === null ? decimal(cents) : money(cents, currency);
}

function draftTable(rows: DraftRow[], now: number, width: number | null): string[] {
  return table<DraftRow>(
    [
      { head: 'DRAFT', cell: (row) => row.id, right: true },
      { head: 'STATE', cell: (row) => (row.snoozed ? 'snoozed' : row.state) },
      { head: 'KIND', cell: (row) => row.kind },
      { head: 'MADE', cell: (row) => formatMoment(row.createdAt, now) },
      { head: 'WHAT', cell: (row) => row.title, yields: true },
      { head: 'AMOUNT', cell: (row) => totalOf(row), right: true },
    ],
    rows,
    width,
  );
}

function draftLines(draft: DraftDetail, now: number, width: number | null): string[] {
  const { steps } = draft;
  const lines = [
    `Draft ${draft.id}: ${draft.title}`,
    '',
    ...facts([
      ['state', draft.state],
      ['snoozed', draft.snoozed ? snoozeText(draft, now) : null],
      ['error', draft.error],
      ['superseded by', draft.supersededBy],
      ['subject', draft.subject],
      ['made', `${formatMoment(draft.createdAt, now)} by job ${draft.job}`],
      ['decided', formatMoment(draft.decidedAt, now)],
      ['applied', formatMoment(draft.appliedAt, now)],
      ['model', draft.model],
      ['steps', steps.count],
      ['took', steps.millis === null ? null : formatSpan(steps.millis)],
      ['tools', steps.tools.join(', ')],
    ]),
  ];
  if (draft.lines.length) {
    const { currency } = draft;
    lines.push(
      '',
      ...table<DraftDetail['lines'][number]>(
        [
          { head: 'SKU', cell: (line) => line.sku },
          { head: 'NAME', cell: (line) => line.name, yields: true },
          { head: 'QUANTITY', cell: (line) => line.quantity, right: true },
          { head: 'UNIT', cell: (line) => line.unit },
          { head: 'EACH', cell: (line) => amount(line.unitCostCents, currency), right: true },
          { head: 'TOTAL', cell: (line) => amount(line.totalCents, currency), right: true },
        ],
        draft.lines,
        width,
      ),
      `Total ${totalOf(draft)}`,
    );
  }
  if (draft.notes) lines.push('', 'The model added, unchecked:', ...draft.notes.split('\n'));
  if (draft.text) lines.push('', ...draft.text.split('\n'));
  if (draft.changes) lines.push('', ...changedLines(draft.changes, width));
  lines.push('', draft.provenance);
  if (draft.effects.length) {
    lines.push('', 'Approving would:', ...draft.effects.map((effect) => `  ${effect}`));
  }
  return lines;
}
