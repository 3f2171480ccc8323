import { z } from 'zod';
import type { Kind, Landing } from '../../engine/supervisor/handler.ts';
import type { Flag } from '../../engine/vitals/flags.ts';
import { payloadOf } from '../agent/run.ts';

export interface WatchdogParts {
  /** The flags as a fresh look at the vitals finds them, given that this one stood. */
  look: (stood: string) => readonly Flag[];
  /** Takes the write-ahead log in. */
  tidy: () => void;
}

const payload = z.object({ flag: z.string(), text: z.string() });

/**
 * The kind `watchdog`: looks into one flag, by rules and without a model. What is over by then, or can be
 * put right here, ends in one line; anything else becomes a report to the owner.
 */
export function watchdogKind({ look, tidy }: WatchdogParts): Kind {
  return {
    name: 'watchdog',
    idempotent: true,
    modelFree: true,
    async run({ job }) {
      const { flag, text } = payloadOf(payload, 'watchdog', job.payload);
      if (flag === 'log-size') tidy();
      const still = look(flag).find(({ id }) => id === flag);
      if (!still) return { kind: 'done', landing: { result: `Over by now: ${text}` } };
      const body = {
        text: `${still.text}\n${adviceOn(flag)}`,
        provenance: 'Written by Lull from its own figures.',
        steps: { count: 0, millis: null, tools: [] },
      };
      const draft: Landing['draft'] = {
        ...{ kind: 'report' as const, title: job.title, subject: null },
        ...{ topic: `watchdog:${flag}`, body, totalCents: null, currency: null, model: null },
      };
      return { kind: 'done', landing: { result: still.text, draft } };
    },
  };
}

const ADVICE: Readonly<Record<string, string>> = {
  stalled:
    'See `lull why` for what waits. If it goes on, stop Lull and start it again: nothing is lost.',
  wedged: 'It may still come to an end. `lull jobs cancel` stops it; its work so far is kept.',
  'slow-host':
    'If it happens often, let the kind of work that runs then use a process of its own (workers.mode).',
  memory: 'Start Lull again when nothing runs: what waits goes on where it was.',
  'log-size':
    'Another program may hold the database open: close it, and Lull takes the log in by itself.',
  disk: 'Free some space. Below a few megabytes nothing can be stored, and work waits.',
};

function adviceOn(flag: string): string {
  return ADVICE[flag.split(':', 1)[0] ?? ''] ?? '';
}
