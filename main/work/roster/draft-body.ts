import { z } from 'zod';
import { draftSteps } from '../agent/draft-body.ts';
import { CADENCES } from './repository/cadence.ts';

/** What a draft of kind `cycle` says, as stored in `drafts.body`. Commits are full object names. */
export const cycleBody = z.object({
  /** The folder the owner added, absolute, and the root of its git repository. */
  repository: z.string().min(1),
  root: z.string().min(1),
  cadence: z.enum(CADENCES),
  agent: z.string().min(1),
  /** How the cycle ended. What a failed one left is not verified. */
  status: z.enum(['completed', 'failed']),
  reason: z.string(),
  detail: z.string().nullable(),
  /** The branch that approving merges into: the one the run began from. */
  target: z.string().min(1),
  /** The run's own branch, from where it began to where it ended. */
  branch: z.string().min(1),
  base: z.string().min(1),
  head: z.string().min(1),
  changes: z.object({
    files: z.array(
      z.object({
        path: z.string(),
        added: z.int().nullable(),
        removed: z.int().nullable(),
      }),
    ),
    total: z.object({ files: z.int(), added: z.int(), removed: z.int() }),
    patch: z.string(),
    patchCut: z.boolean(),
  }),
  /** The cycle's log, and what the agent wrote down as learned; either may be empty. */
  log: z.string(),
  learnings: z.string(),
  provenance: z.string(),
  steps: draftSteps,
});

export type CycleBody = z.infer<typeof cycleBody>;
