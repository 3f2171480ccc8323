import { z } from 'zod';
import type { Kind } from '../../engine/supervisor/handler.ts';
import { agentLanding } from '../agent/agent-landing.ts';
import { loadConstitution, loadRole } from '../agent/constitution.ts';
import { type Finished, reportDraft, shownModel, textDraft, titleFrom } from '../agent/draft.ts';
import { type HistoryReader, recentTurns } from '../agent/history.ts';
import { LIMITS } from '../agent/loop.ts';
import { type LoopState, lastWords } from '../agent/loop-state.ts';
import { successesOf } from '../agent/report.ts';
import { payloadOf, runAgent } from '../agent/run.ts';
import { answerLimit, type Toolbox, toolbox } from '../agent/tools.ts';
import { type Granted, listGranted } from './granted-files.ts';
import { fileTools, LIST_FILES, READ_FILE, type ReadPiece } from './tools.ts';

export interface TaskParts {
  history: HistoryReader;
  /** The folder with constitution.md and prompts/. */
  resources: string;
  /** The data folder: what is in it is never given to a job. */
  home: string;
}

const payload = z.object({
  text: z.string().min(1),
  /** Absolute paths as admitted: links resolved. */
  files: z.array(z.string()).default([]),
});

/** What a task fixes at its start: the files a folder stood for then are the task's files. */
const given = z.object({
  history: z.array(z.object({ prompt: z.string(), result: z.string() })),
  granted: z.object({
    files: z.array(z.object({ name: z.string(), path: z.string(), bytes: z.number() })),
    problems: z.array(z.string()),
  }),
  /** The list of files, shown before the task; null without files. */
  listing: z.string().nullable(),
});
type Given = z.infer<typeof given>;

/**
 * The kind `task`: a one-off in the owner's words, over the files given with it and nothing else. It
 * lands the model's words as a text draft. Reads the constitution and the role when it is made;
 * throws ConstitutionError there when the resources were changed.
 */
export function taskKind(parts: TaskParts): Kind {
  const constitution = loadConstitution(parts.resources);
  const role = loadRole(parts.resources, 'task');

  return {
    name: 'task',
    idempotent: false,
    landing: agentLanding,
    async run(context) {
      const { job, model } = context;
      const { text: task, files } = payloadOf(payload, 'task', job.payload);
      const scope = { subject: null, maxCharacters: answerLimit(model.numCtx) };
      // Without files there is nothing to look at, and a model that cannot use tools will do.
      const toolsFor = (granted: Granted) =>
        toolbox(files.length > 0 ? fileTools(granted) : [], scope);
      return runAgent<Given>(context, {
        given,
        async start() {
          const history = job.session === null ? [] : recentTurns(await parts.history(job.session));
          const granted = await listGranted(files, parts.home);
          return { history, granted, listing: await listingOf(toolsFor(granted)) };
        },
        work: ({ history, granted, listing }) => ({
          parts: {
            ...{ constitution, role, task, history },
            ...{ retrieved: [], tools: listing === null ? [] : [listing] },
          },
          toolbox: toolsFor(granted),
          limits: LIMITS,
        }),
        land(state, { granted }) {
          const tools = fileTools(granted).map((tool) => tool.name);
          const remarks = files.length > 0 ? sourcesOf(state, granted) : [];
          const run: Finished = { job, model, state, tools, remarks };
          const title = titleFrom(task);
          const words = lastWords(state);
          const result = words
            ? `Text draft by ${shownModel(model)}, not checked`
            : 'The model gave no answer.';
          return {
            result,
            draft: words
              ? textDraft(run, title, words)
              : reportDraft(run, title, result, 'Written by Lull.', job.id),
            ...(job.session === null
              ? {}
              : { remember: { prompt: task, result: words || result } }),
          };
        },
      });
    },
  };
}

async function listingOf(tools: Toolbox): Promise<string | null> {
  if (!tools.has(LIST_FILES)) return null;
  return (await tools.invoke({ id: LIST_FILES, name: LIST_FILES, arguments: {} })).content;
}

/** What the answer can rest on: the files that were read, how far, and what could not be. */
function sourcesOf(state: LoopState, { problems }: Granted): string[] {
  const readTo = new Map<string, ReadPiece>();
  for (const piece of successesOf(state.exchange, READ_FILE) as ReadPiece[]) {
    const before = readTo.get(piece.file)?.nextOffset;
    if (before === null || (before ?? 0) < piece.offset) continue;
    readTo.set(piece.file, piece);
  }
  const read = [...readTo.values()].map(({ file, nextOffset, totalBytes }) =>
    nextOffset === null ? file : `${file} (the first ${nextOffset} of ${totalBytes} bytes)`,
  );
  const missing = problems.length > 0 ? [`Not readable: ${problems.join('; ')}.`] : [];
  return [read.length > 0 ? `Files read: ${read.join(', ')}.` : 'No file was read.', ...missing];
}
