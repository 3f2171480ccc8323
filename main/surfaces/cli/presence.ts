import { type Command, Option } from 'commander';
import type { Clock } from '../../base/clock.ts';
import type { StatusView, TideView } from '../contract.ts';
import type { Act } from './act.ts';
import { formatMoment, formatSpan } from './moment.ts';
import { futureReader, readDuration } from './parse.ts';
import { table } from './table.ts';

const SAYS = { here: 'present', away: 'away', clear: 'clear' } as const;

/** `lull presence …` and `lull tide`. */
export function addPresenceCommands(program: Command, act: Act, clock: Clock): void {
  const presence = program
    .command('presence')
    .description('say yourself whether you are here, whatever the machine can see');
  for (const [name, what] of [
    ['here', 'you are here: heavy work waits'],
    ['away', 'you are away: heavy work may run'],
  ] as const) {
    act<{ for?: number; until?: number }>(
      presence
        .command(name)
        .description(what)
        .option('--for <duration>', 'so long, for example 90m', readDuration)
        .addOption(
          new Option('--until <time>', 'until then, for example 08:00')
            .argParser(futureReader(clock))
            .conflicts('for'),
        ),
      async ({ call, options, now }) => {
        const value = await call('presence.override', {
          say: SAYS[name],
          ...(options.for !== undefined && { forSeconds: options.for }),
          ...(options.until !== undefined && { until: options.until }),
        });
        return { value, lines: [`You said: ${wordText(value, now)}.`] };
      },
    );
  }
  act(presence.command('clear').description('leave it to the machine again'), async ({ call }) => {
    const value = await call('presence.override', { say: SAYS.clear });
    return { value, lines: ['The machine decides again whether you are here.'] };
  });
  act(
    program
      .command('tide')
      .description('one day as it was: your presence, the lulls, and the work in them')
      .argument('[day]', 'a date such as 2026-05-01; today without one'),
    async ({ call, now, width }, day: string | undefined) => {
      const value = await call('tide.day', { ...(day !== undefined && { day }) });
      return { value, lines: tideLines(value, now, width) };
    },
  );
}

/** `away, until 14:30 (1 h 30 min)`; nothing where nothing was said. */
export function wordText(word: StatusView['word'], now: number): string | null {
  if (!word) return null;
  const what = word.present ? 'here' : 'away';
  if (word.until === null) return `${what}, until you clear it`;
  return `${what}, until ${formatMoment(word.until, now)} (${formatSpan(word.until - now)})`;
}

interface Piece {
  from: number;
  to: number;
  what: string;
}

function tideLines({ text, present, lulls, ran }: TideView, now: number, width: number | null) {
  const pieces: Piece[] = [
    ...present.map((one) => ({ ...one, what: 'here' })),
    ...lulls.map((one) => ({ ...one, what: 'lull' })),
    ...ran.map(({ job, heavy, ...one }) => ({
      ...one,
      what: `job ${job}${heavy ? ', heavy' : ''}`,
    })),
  ].sort((a, b) => a.from - b.from || a.to - b.to);
  if (pieces.length === 0) return [text];
  return [
    text,
    '',
    ...table<Piece>(
      [
        { head: 'FROM', cell: (one) => formatMoment(one.from, now) },
        { head: 'TO', cell: (one) => formatMoment(one.to, now) },
        { head: 'WHAT', cell: (one) => one.what, yields: true },
      ],
      pieces,
      width,
    ),
  ];
}
