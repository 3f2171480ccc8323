import type { Verdict } from '../../engine/gates/gate.ts';
import { oneLine } from './text.ts';

type Pause = { until: number | null } | null;

export interface StatusInput {
  /** Null where no host runs and only the database was read. */
  host: { pid: number; version: string; home: string; model: string } | null;
  /** The one line, as the gates say it. */
  line: string;
  pauses: { all: Pause; heavy: Pause };
  /** The owner's own word on presence; null where the probes decide. */
  word: { present: boolean; until: number | null } | null;
  verdicts: readonly Verdict[];
  queue: { queued: number; running: number; deferred: number };
  pendingDrafts: number;
}

export interface StatusView {
  host: { pid: number; version: string; home: string; model: string } | null;
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
  return {
    host: input.host,
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
