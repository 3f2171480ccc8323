import type { Run } from '../../base/store/runs.ts';
import type { Verdict } from '../../engine/gates/gate.ts';
import type { Health } from '../../engine/vitals/health.ts';
import { type RunRow, runRow } from './run.ts';
import { oneLine } from './text.ts';

type Pause = { until: number | null } | null;

export interface StatusInput {
  /** Null where no host runs and only the database was read. */
  host: { pid: number; version: string; home: string; model: string } | null;
  now: number;
  health: Health;
  /** The newest life of a host. */
  run: Run | null;
  /** The one line, as the gates say it. */
  line: string;
  pauses: { all: Pause; heavy: Pause };
  /** The owner's own word on presence; null where the probes decide. */
  word: { present: boolean; until: number | null } | null;
  verdicts: readonly Verdict[];
  queue: { queued: number; running: number; deferred: number };
  pendingDrafts: number;
}

/** Something that is wrong since a moment, epoch ms to the minute. */
interface Ill {
  since: number;
}

export interface StatusView {
  host: { pid: number; version: string; home: string; model: string } | null;
  run: RunRow | null;
  /** Null: work may run and it does, or nothing may. */
  stalled: Ill | null;
  wedged: (Ill & { job: number; title: string })[];
  line: string;
  paused: { all: Pause; heavy: Pause };
  word: StatusInput['word'];
  gates: Array<Pick<Verdict, 'id' | 'open' | 'blocks' | 'code' | 'reason'>>;
  queue: { queued: number; running: number; deferred: number };
  drafts: { pending: number };
}

export function statusView(input: StatusInput): StatusView {
  const { all, heavy } = input.pauses;
  const { queued, running, deferred } = input.queue;
  const { stalled, wedged } = input.health;
  // To the minute, so that a view stays the same from look to look.
  const sinceOf = ({ forMs }: { forMs: number }) =>
    Math.round((input.now - forMs) / 60_000) * 60_000;
  return {
    host: input.host,
    run: input.run && runRow(input.run, input.host !== null),
    stalled: stalled && { since: sinceOf(stalled) },
    wedged: wedged.map(({ job, title, forMs }) => ({
      ...{ job, title: oneLine(title, 100), since: sinceOf({ forMs }) },
    })),
    line: oneLine(input.line, 400),
    paused: { all: all && { until: all.until }, heavy: heavy && { until: heavy.until } },
    word: input.word && { present: input.word.present, until: input.word.until },
    gates: input.verdicts.map(({ id, open, blocks, code, reason }) => ({
      id,
      open,
      blocks,
      code,
      reason: oneLine(reason, 400),
    })),
    queue: { queued, running, deferred },
    drafts: { pending: input.pendingDrafts },
  };
}
