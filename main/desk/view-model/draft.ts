import type { Result } from '../../base/errors.ts';
import { ok } from '../../base/errors.ts';
import type { Draft, DraftHead } from '../../base/store/drafts.ts';
import type { OrderLine } from '../../work/agent/draft-body.ts';
import { type DraftBody, readBody } from '../draft-bodies.ts';
import { manyLines, oneLine } from './text.ts';
import { type TranscriptLine, transcriptLines } from './transcript.ts';

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
}

export interface DraftDetail extends DraftRow {
  model: string | null;
  decidedAt: number | null;
  appliedAt: number | null;
  error: string | null;
  supersededBy: number | null;
  lines: OrderLine[];
  text: string;
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
    supersededBy: draft.supersededBy,
    lines: body.kind === 'order' ? body.lines.map(shownLine) : [],
    text: body.kind === 'order' ? '' : manyLines(body.text, TEXT_LENGTH),
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

function consequence(body: DraftBody): string {
  if (body.kind === 'order') return 'Approving writes an order file; nothing is bought.';
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
  if (body.kind === 'report' && body.runAgain !== null) {
    return [`+ a new job with the work of job ${body.runAgain}`];
  }
  return [];
}
