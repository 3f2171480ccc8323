import { join } from 'node:path';
import { type Failure, ok, type Result } from '../base/errors.ts';
import { failpoint } from '../base/failpoint.ts';
import type { Draft } from '../base/store/drafts.ts';
import {
  type CycleDraftBody,
  type DraftBody,
  type OrderDraftBody,
  readBody,
} from './draft-bodies.ts';
import { refused, unknownDraft } from './draft-refusals.ts';
import { type MergeEnd, type MergingParts, mergings } from './merging.ts';
import {
  type AppliedOrder,
  COVERED_FOR_MS,
  type CurrentNeed,
  orderChanges,
} from './order-changes.ts';
import { writeOrderFiles } from './order-file.ts';
import { type Order, orderCsv, orderMarkdown } from './order-text.ts';
import { orderFileNames } from './view-model/draft.ts';

/** How many drafts are finished at a time; a crash leaves one, so this is never reached. */
const RESUMED_AT_MOST = 1000;

export type Approval =
  /** `job`: the new one that a report asked for. */
  | { outcome: 'applied'; files: string[]; job?: number | undefined }
  | { outcome: 'changed'; changes: string[]; confirm: string }
  | { outcome: 'failed'; error: string }
  /** It is being carried out by another program. */
  | { outcome: 'underway'; end: Promise<MergeEnd> };

export interface ApproveParts extends MergingParts {
  /** The data folder's folder of orders. */
  orders: string;
  /** What the shop needs of a product now; null when it is not known any more. */
  needs(sku: string): CurrentNeed | null;
  /** Starts the work of an ended job again, as a new job; part of the caller's transaction. */
  runAgain(job: number): Result<{ id: number }>;
  /** The owner's time zone, IANA. */
  zone: string;
}

/** What approving comes to, decided and stored in one transaction. */
type Decision =
  | { answer: Approval }
  | { carryOut: Draft; body: OrderDraftBody }
  | { merge: Draft; body: CycleDraftBody };

/**
 * Approving: the decision is committed first (`approved`), then the files are written, then that is
 * committed (`applied`). Writing is synchronous and idempotent, so a second approval finds it done,
 * and a crash between any two of the steps is finished by `resumeApproved`. A cycle is merged by git
 * meanwhile; that is idempotent too.
 */
export function approver(parts: ApproveParts) {
  const { store, clock, drafts, notices } = parts;
  const merges = mergings(parts);

  function approve(id: number, confirm?: string): Result<Approval> {
    const decision = store.tx(() => decide(id, confirm));
    if (!decision.ok) return decision;
    const { value } = decision;
    if ('answer' in value) return ok(value.answer);
    if ('merge' in value) return ok(merge(value.merge, value.body));
    return ok(carryOut(value.carryOut, value.body));
  }

  function decide(id: number, confirm: string | undefined): Result<Decision> {
    const draft = drafts.get(id);
    if (!draft) return unknownDraft(id);
    if (draft.state === 'dismissed' || draft.state === 'superseded') {
      return refused(draft, 'approved');
    }
    const read = readBody(draft);
    if (!read.ok) return read;
    const body = read.value;
    if (draft.state === 'applied') return ok({ answer: applied(draft) });
    if (body.kind === 'cycle') {
      if (draft.state !== 'approved') drafts.approve(id, clock.now());
      return ok({ merge: draft, body });
    }
    if (body.kind !== 'order') return keep(draft, body);
    if (draft.state !== 'approved') {
      const changes = changesSince(draft, body);
      if (changes && changes.confirm !== confirm) {
        const { sentences, confirm } = changes;
        return ok({ answer: { outcome: 'changed', changes: sentences, confirm } });
      }
      drafts.approve(id, clock.now());
    }
    return ok({ carryOut: draft, body });
  }

  /** A text is kept and a report is answered within the database: decided and done at once. */
  function keep(
    draft: Draft,
    body: Exclude<DraftBody, OrderDraftBody | CycleDraftBody>,
  ): Result<Decision> {
    let job: number | undefined;
    if (draft.state !== 'approved') {
      const again =
        body.kind === 'report' && body.runAgain !== null ? parts.runAgain(body.runAgain) : null;
      if (again && !again.ok) return again;
      job = again?.value.id;
      drafts.approve(draft.id, clock.now());
    }
    drafts.markApplied(draft.id, clock.now());
    return ok({ answer: applied(draft, job) });
  }

  function changesSince(draft: Draft, body: OrderDraftBody) {
    const { id, createdAt } = draft;
    const since = clock.now() - COVERED_FOR_MS;
    const lately = drafts.ordersAppliedSince(since).flatMap(appliedOrder);
    return orderChanges({ ...body, id, createdAt }, parts.needs, lately, parts.zone);
  }

  function carryOut(draft: Draft, body: OrderDraftBody): Approval {
    failpoint('order.approved');
    const written = writeOrderFiles(filesOf(parts.orders, draft, body));
    const now = clock.now();
    if (!written.ok) return store.tx(() => fail(draft, written, now));
    failpoint('order.written');
    store.tx(() => {
      drafts.markApplied(draft.id, now);
      notices.settle({ kind: 'order-failed', draft: draft.id }, now);
    });
    return applied(draft);
  }

  function merge(draft: Draft, body: CycleDraftBody): Approval {
    return { outcome: 'underway', end: merges.begin(draft, body) };
  }

  function fail(draft: Draft, { message, hint }: Failure, now: number): Approval {
    const error = hint === undefined ? message : `${message}; ${hint}`;
    drafts.markFailed(draft.id, error);
    notices.raise({ kind: 'order-failed', draft: draft.id, message: error }, now, draft.id);
    return { outcome: 'failed', error };
  }

  function resumeApproved(): Array<{ id: number; approval: Approval }> {
    const left = drafts.list({ state: 'approved', limit: RESUMED_AT_MOST });
    return left.map(({ id }) => ({ id, approval: resume(drafts.get(id) as Draft) }));
  }

  function resume(draft: Draft): Approval {
    const read = readBody(draft);
    if (read.ok && read.value.kind === 'order') return carryOut(draft, read.value);
    if (read.ok && read.value.kind === 'cycle') return merge(draft, read.value);
    return store.tx(() => {
      if (!read.ok) return fail(draft, read, clock.now());
      drafts.markApplied(draft.id, clock.now());
      return applied(draft);
    });
  }

  return { approve, resumeApproved, idle: merges.idle };
}

function applied(draft: Draft, job?: number): Approval {
  const { csv, markdown } = orderFileNames(draft.id);
  const files = draft.kind === 'order' ? [csv, markdown] : [];
  return { outcome: 'applied', files, ...(job !== undefined && { job }) };
}

function appliedOrder(draft: Draft): AppliedOrder[] {
  const read = readBody(draft);
  if (!read.ok || read.value.kind !== 'order' || draft.appliedAt === null) return [];
  return [{ id: draft.id, appliedAt: draft.appliedAt, lines: read.value.lines }];
}

function filesOf(folder: string, draft: Draft, body: OrderDraftBody) {
  const order: Order = {
    ...body,
    id: draft.id,
    title: draft.title,
    createdAt: draft.createdAt,
    totalCents: body.lines.reduce((sum, line) => sum + line.totalCents, 0),
  };
  return [
    { path: join(folder, `${draft.id}.csv`), content: Buffer.from(orderCsv(order)) },
    { path: join(folder, `${draft.id}.md`), content: Buffer.from(orderMarkdown(order)) },
  ];
}
