import { ModelError } from '../server.ts';
import { faultOf, sentenceOf } from './answer-faults.ts';
import { linesOf, type StreamWatch } from './lines.ts';

interface Event {
  name: string;
  data: string[];
}

/**
 * The stream as events that the client cannot misread: one line of JSON each, comments dropped, an
 * error (three forms are in use) or an event of another kind turned into a ModelError. That it ends
 * says nothing: servers end streams that they have not finished (vercel/ai#19165), with and without
 * `[DONE]`. What follows a finish_reason may be late, broken or missing: the answer is whole.
 */
export function checkedEvents(
  body: ReadableStream<Uint8Array>,
  watch: StreamWatch,
  label: string,
): ReadableStream<Uint8Array> {
  const source = linesOf(body, watch, label);
  const encoder = new TextEncoder();
  let event: Event = { name: '', data: [] };
  let finished = false;

  /** Events complete with these lines; the unfinished last one of a stream counts if it can be read. */
  async function more(): Promise<{ events: Event[]; ended: boolean }> {
    const { lines, ended } = await source.more();
    const events: Event[] = [];
    const complete = () => {
      if (event.data.length > 0) events.push(event);
      event = { name: '', data: [] };
    };
    for (const line of lines) {
      if (line === '' && !ended) complete();
      else take(line);
    }
    if (ended) complete();
    return { events, ended };
  }

  function take(line: string): void {
    const colon = line.indexOf(':');
    if (colon <= 0) return;
    const field = line.slice(0, colon);
    const value = line.slice(colon + 1).replace(/^ /, '');
    if (field === 'data') event.data.push(value);
    if (field === 'event') event.name = value;
    // Older llama.cpp servers write an error as a field of this name.
    if (field === 'error') event = { name: 'error', data: [value] };
  }

  /** Passes on what comes next; true when that was the last. */
  async function pass(controller: ReadableStreamDefaultController<Uint8Array>): Promise<boolean> {
    for (;;) {
      const { events, ended } = await more();
      for (const one of events) {
        const text = one.data.join('\n');
        if (text.trim() === '[DONE]') {
          watch.finished(ended ? Promise.resolve() : source.rest());
          return true;
        }
        const chunk = checked(one.name, text, ended, label);
        controller.enqueue(encoder.encode(`data: ${JSON.stringify(chunk)}\n\n`));
        if (!finished && isFinish(chunk)) {
          finished = true;
          watch.lastWords();
        }
      }
      if (ended || events.length > 0) return ended;
    }
  }

  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        if (await pass(controller)) controller.close();
      } catch (error) {
        const broken = !(error instanceof ModelError) || error.fault === 'truncated';
        if (!finished || !broken) throw error;
        controller.close();
      }
    },
    cancel: source.cancel,
  });
}

function checked(name: string, text: string, ended: boolean, label: string): Chunk {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (name === 'error') throw said(text, label);
    throw ended
      ? new ModelError('truncated', `${label} broke off inside an event`, { cause: error })
      : new ModelError('malformed', `${label} sent an event that is not JSON`, { cause: error });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ModelError('malformed', `${label} sent an event that is not an object`);
  }
  const chunk = value as Chunk;
  const failed = chunk.error !== undefined && chunk.error !== null;
  if (failed || name === 'error' || chunk.object === 'error') throw said(text, label);
  if (Array.isArray(chunk.choices)) return chunk;
  if (typeof chunk.usage === 'object') return { ...chunk, choices: [] };
  const keys = Object.keys(chunk).join(', ').slice(0, 200);
  throw new ModelError('malformed', `${label} sent an event of another kind (${keys})`);
}

type Chunk = Record<string, unknown>;

function said(text: string, label: string): ModelError {
  const sentence = sentenceOf(text);
  return new ModelError(faultOf(null, sentence), `${label}: ${sentence}`);
}

function isFinish(chunk: Chunk): boolean {
  const [first] = chunk.choices as ({ finish_reason?: unknown } | null)[];
  return typeof first?.finish_reason === 'string' && first.finish_reason !== '';
}

/** A whole answer, of a server that does not stream, as the events of a stream. */
export function eventsOfWhole(text: string, label: string): string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new ModelError('malformed', `${label} sent something that is not JSON`, { cause: error });
  }
  const answer = (typeof value === 'object' && value !== null ? value : {}) as Chunk;
  if (answer.error !== undefined && answer.error !== null) throw said(text, label);
  const [choice] = (Array.isArray(answer.choices) ? answer.choices : []) as Chunk[];
  const message = choice?.message as Chunk | undefined;
  if (!choice || typeof message !== 'object' || message === null) {
    throw new ModelError('malformed', `${label} sent an answer of another kind`);
  }
  const { finish_reason } = choice;
  const chunk = { ...answer, choices: [{ index: 0, delta: message, finish_reason }] };
  return `data: ${JSON.stringify(chunk)}\n\n`;
}
