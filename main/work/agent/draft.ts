import { money } from '../../base/money.ts';
import type { Job } from '../../engine/queue/job.ts';
import type { Landing, ModelHandle } from '../../engine/supervisor/handler.ts';
import { suggestWindow } from './budget.ts';
import type { DraftSteps, OrderBody, ReportBody, TextBody } from './draft-body.ts';
import { cutText } from './history.ts';
import { endedByModel, type LoopState } from './loop-state.ts';
import type { OrderReport } from './report.ts';

type Draft = NonNullable<Landing['draft']>;

/** A finished run, as its draft tells of it. */
export interface Finished {
  job: Job;
  model: ModelHandle;
  state: LoopState;
  /** Names of the tools the run had. */
  tools: readonly string[];
  /** What else the owner should know, one sentence each; said by Lull, never by the model. */
  remarks: readonly string[];
}

/** The model as the owner knows it: its name, and the server's label where that says more. */
export function shownModel({ model, label }: Pick<ModelHandle, 'model' | 'label'>): string {
  if (!label || label === model) return model;
  return label.includes(model) ? label : `${model} (${label})`;
}

/** An order: figures from the tools, the model's words beside them as notes. */
export function orderDraft(run: Finished, title: string, order: OrderReport, notes: string): Draft {
  const body: OrderBody = {
    lines: order.lines,
    notes,
    provenance: sentences(
      'Figures come from the stock and price tools, not from the model’s words.',
      run,
    ),
    steps: stepsOf(run),
  };
  const { totalCents, currency } = order;
  return { ...head(run, 'order', title), body, totalCents, currency };
}

/** The model's words as they are, marked as unchecked. */
export function textDraft(run: Finished, title: string, text: string): Draft {
  const body: TextBody = {
    text,
    provenance: sentences(`Written by ${shownModel(run.model)}, not checked.`, run),
    steps: stepsOf(run),
  };
  return { ...head(run, 'text', title), body, totalCents: null, currency: null };
}

/**
 * Lull's own words, from what the tools said or from how the run went. `runAgain` names the job that
 * approving starts again; null where the report is for reading alone.
 */
export function reportDraft(
  run: Finished,
  title: string,
  text: string,
  source: string,
  runAgain: number | null,
): Draft {
  const provenance = sentences(source, run);
  const body: ReportBody = { text, provenance, steps: stepsOf(run), runAgain };
  return { ...head(run, 'report', title), body, totalCents: null, currency: null };
}

/** One line for lists: what an order comes to. */
export function orderLineFor(order: OrderReport): string {
  const total = money(order.totalCents, order.currency);
  const [only, ...others] = order.lines;
  if (only && others.length === 0) {
    return `Order draft: ${only.quantity} ${only.unit} of ${only.name}, ${total}`;
  }
  return `Order draft: ${order.lines.length} items, ${total}`;
}

/** A title from the owner's words: the first line, short, without its full stop. */
export function titleFrom(prompt: string): string {
  const line = prompt.trim().split(/\r?\n/, 1)[0]?.trim() ?? '';
  if (line.length <= 80) return line.replace(/[.\s]+$/, '') || 'Untitled';
  const space = line.slice(0, 80).lastIndexOf(' ');
  return `${cutText(line, space > 40 ? space : 79).trimEnd()}…`;
}

/**
 * The matter of a draft, for a newer draft of the same matter to supersede it. A run that a limit
 * stopped supersedes nothing, and the words about one item never supersede an order for it.
 */
export function topicOf(job: Job, kind: Draft['kind'], ended: LoopState['ended']): string | null {
  if (!endedByModel(ended)) return null;
  if (job.subject !== null) return kind === 'text' ? null : `order:${job.subject}`;
  const schedule = job.source?.match(/^job:(.+)@\d+:-?\d+$/)?.[1];
  return schedule === undefined ? null : `schedule:${schedule}`;
}

function head(run: Finished, kind: Draft['kind'], title: string) {
  const { job, state } = run;
  const model = shownModel(run.model);
  const topic = topicOf(job, kind, state.ended);
  return { kind, title, subject: job.subject, topic, model };
}

function stepsOf({ state, tools }: Finished): DraftSteps {
  const called = state.exchange.flatMap((message) =>
    message.role === 'tool' && tools.includes(message.toolName) ? [message.toolName] : [],
  );
  return { count: state.turns, millis: state.elapsedMs, tools: called };
}

function sentences(first: string, run: Finished): string {
  return [first, ...howItEnded(run), ...run.remarks].join(' ');
}

/** What the owner should know of how the run went; nothing for a run that went as it should. */
function howItEnded({ job, state, tools }: Finished): string[] {
  const said: string[] = [];
  switch (state.ended) {
    case 'cut-off':
      said.push('The model’s last answer was cut off at its length limit.');
      break;
    case 'empty':
      said.push('The model’s last answer was empty.');
      break;
    case 'turn-limit':
      said.push(`The run was stopped after ${state.turns} turns, before the model was done.`);
      break;
    case 'call-limit':
      said.push(
        `The run was stopped after ${state.toolCalls} tool calls, before the model was done.`,
      );
      break;
    case 'token-limit':
      said.push(
        `The run was stopped after ${state.outputTokens} tokens, before the model was done.`,
      );
      break;
    case 'time-limit':
      said.push('The run was stopped at its time limit, before the model was done.');
      break;
    case 'window-limit':
      said.push(
        'The run was stopped because what it had gathered no longer fit the model’s window: ' +
          `models.tiers.${job.tier}.numCtx must be ${suggestWindow(state.peakTokens)} or more.`,
      );
      break;
  }
  if (state.outputCut) said.push('Some of what the tools said was cut to fit the model’s window.');
  if (holdsCallText(state, tools)) {
    said.push('The answer holds a tool call written as text; it was not carried out.');
  }
  return said;
}

/** Some models write a call into their answer instead of making it (ollama/ollama#16686). */
function holdsCallText(state: LoopState, tools: readonly string[]): boolean {
  const last = state.exchange.at(-1);
  if (last?.role !== 'assistant') return false;
  return tools.some(
    (name) =>
      last.content.includes(`<function=${name}`) ||
      new RegExp(`"name"\\s*:\\s*"${name}"`).test(last.content),
  );
}
