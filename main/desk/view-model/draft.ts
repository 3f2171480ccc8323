import type { Result } from '../../base/errors.ts';
import { ok } from '../../base/errors.ts';
import type { Draft, DraftHead } from '../../base/store/drafts.ts';
import type { OrderLine } from '../../work/agent/draft-body.ts';
import { type CycleDraftBody, type DraftBody, readBody } from '../draft-bodies.ts';
import { manyLines, oneLine } from './text.ts';
import { type TranscriptLine, transcriptLines } from './transcript.ts';

const SUMMARY_LENGTH = 140;
/** The most of a text draft that is shown; a model's answer is far below it. */
const TEXT_LENGTH = 200_000;

export interface DraftRow {
  id: number;
  state: Draft['state'];
  kind: Draft['kind'];
  title: string;
  subject: string | null;
  totalCents: number | null;
  currency: string | null;
  job: number;
  createdAt: number;
  summary: string;
  supersededBy: number | null;
  snoozed: { until: number | null } | null;
}

/** What a cycle changed in its repository, and the branch that approving merges it into. */
interface CycleChanges {
  repository: string;
  target: string;
  files: CycleDraftBody['changes']['files'];
  total: CycleDraftBody['changes']['total'];
  patch: string;
  patchCut: boolean;
}

export interface DraftDetail extends DraftRow {
  model: string | null;
  decidedAt: number | null;
  appliedAt: number | null;
  error: string | null;
  lines: OrderLine[];
  changes: CycleChanges | null;
  text: string;
  notes: string;
  provenance: string;
  effects: string[];
  steps: { count: number; millis: number | null; tools: string[] };
  transcript: TranscriptLine[];
}

export function draftRow(draft: DraftHead): DraftRow {
  return {
    id: draft.id,
    state: draft.state,
    kind: draft.kind,
    title: oneLine(draft.title) || 'Untitled',
    subject: draft.subject === null ? null : oneLine(draft.subject),
    totalCents: draft.totalCents,
    currency: draft.currency,
    job: draft.job,
    createdAt: draft.createdAt,
    summary: oneLine(draft.summary, SUMMARY_LENGTH),
    supersededBy: draft.supersededBy,
    snoozed: draft.snoozed && { until: draft.snoozed.until },
  };
}

/** A draft with all that can be known of it; `messages` is its job's transcript, as stored. */
export function draftDetail(draft: Draft, messages: unknown): Result<DraftDetail> {
  const read = readBody(draft);
  if (!read.ok) return read;
  const body = read.value;
  return ok({
    ...draftRow(draft),
    model: draft.model === null ? null : oneLine(draft.model),
    decidedAt: draft.decidedAt,
    appliedAt: draft.appliedAt,
    error: draft.error === null ? null : oneLine(draft.error, 1000),
    lines: body.kind === 'order' ? body.lines.map(shownLine) : [],
    changes: body.kind === 'cycle' ? shownChanges(body) : null,
    text: manyLines(textOf(body), TEXT_LENGTH),
    notes: body.kind === 'order' ? manyLines(body.notes, TEXT_LENGTH) : '',
    provenance: `${oneLine(body.provenance, 1000)} ${consequence(body)}`.trim(),
    effects: effects(draft.id, body),
    steps: { ...body.steps, tools: body.steps.tools.map((tool) => oneLine(tool, 100)) },
    transcript: transcriptLines(messages),
  });
}

/** The names of an order's files, within the data folder. */
export function orderFileNames(id: number): { csv: string; markdown: string } {
  return { csv: `orders/${id}.csv`, markdown: `orders/${id}.md` };
}

function shownLine(line: OrderLine): OrderLine {
  return { ...line, name: oneLine(line.name, 300), unit: oneLine(line.unit) };
}

function shownChanges({ changes, repository, target }: CycleDraftBody): CycleChanges {
  const files = changes.files.map((file) => ({ ...file, path: oneLine(file.path, 300) }));
  const patch = manyLines(changes.patch, TEXT_LENGTH);
  return {
    ...changes,
    files,
    patch,
    repository: oneLine(repository, 300),
    target: oneLine(target),
  };
}

function textOf(body: DraftBody): string {
  if (body.kind === 'order') return '';
  if (body.kind !== 'cycle') return body.text;
  const came = body.detail === null ? body.reason : `${body.reason}: ${body.detail}`;
  const parts = [`${body.status === 'completed' ? 'Completed' : 'Failed'}. ${came}`];
  if (body.learnings) parts.push(`What ${body.agent} learned\n${body.learnings}`);
  if (body.log) parts.push(`The log\n${body.log}`);
  return parts.map((part) => part.trim()).join('\n\n');
}

function consequence(body: DraftBody): string {
  if (body.kind === 'order') return 'Approving writes an order file; nothing is bought.';
  if (body.kind === 'cycle') {
    return `Approving merges it into ${oneLine(body.target)}; dismissing deletes its branch.`;
  }
  if (body.kind === 'text') return 'Approving keeps it; nothing is written.';
  return body.runAgain === null
    ? 'Approving marks it as read.'
    : 'Approving starts the work again.';
}

function effects(id: number, body: DraftBody): string[] {
  if (body.kind === 'order') {
    const { csv, markdown } = orderFileNames(id);
    const lines = body.lines.length === 1 ? '1 line' : `${body.lines.length} lines`;
    return [`+ ${csv}  ${lines}`, `+ ${markdown}`];
  }
  if (body.kind === 'cycle') {
    const { files, added, removed } = body.changes.total;
    const where = `${oneLine(body.target)} of ${oneLine(body.repository, 300)}`;
    const what = `${files} ${files === 1 ? 'file' : 'files'}, +${added} −${removed} lines`;
    return [`~ ${where}  ${what}`];
  }
  if (body.kind === 'report' && body.runAgain !== null) {
    return [`+ a new job with the work of job ${body.runAgain}`];
  }
  return [];
}
