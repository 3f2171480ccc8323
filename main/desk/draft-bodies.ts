import { z } from 'zod';
import { failure, ok, type Result } from '../base/errors.ts';
import type { Draft } from '../base/store/drafts.ts';
import { draftSteps, type OrderBody, orderBody, textBody } from '../work/agent/draft-body.ts';
import { type CycleBody, cycleBody } from '../work/roster/draft-body.ts';

/** What a report says: something the owner should know of a run, and the job to start again, if any. */
export const reportBody = z.object({
  text: z.string(),
  provenance: z.string(),
  /** The job that approving the report starts again, as a new one. */
  runAgain: z.int().min(1).nullable().default(null),
  steps: draftSteps.default({ count: 0, millis: null, tools: [] }),
});

export type ReportBody = z.infer<typeof reportBody>;

export type OrderDraftBody = { kind: 'order'; currency: string } & OrderBody;

export type CycleDraftBody = { kind: 'cycle' } & CycleBody;

export type DraftBody =
  | OrderDraftBody
  | CycleDraftBody
  | ({ kind: 'text' } & z.infer<typeof textBody>)
  | ({ kind: 'report' } & ReportBody);

/** What a stored draft says. Fails where the stored text is not what its kind promises. */
export function readBody(draft: Draft): Result<DraftBody> {
  const { kind, currency } = draft;
  if (kind === 'order') {
    const parsed = orderBody.safeParse(draft.body);
    if (parsed.success && currency !== null) return ok({ kind, currency, ...parsed.data });
  } else if (kind === 'text') {
    const parsed = textBody.safeParse(draft.body);
    if (parsed.success) return ok({ kind, ...parsed.data });
  } else if (kind === 'cycle') {
    const parsed = cycleBody.safeParse(draft.body);
    if (parsed.success) return ok({ kind, ...parsed.data });
  } else {
    const parsed = reportBody.safeParse(draft.body);
    if (parsed.success) return ok({ kind, ...parsed.data });
  }
  return failure(
    'failed',
    `what draft ${draft.id} says cannot be read`,
    'dismiss it and run its job again',
  );
}
