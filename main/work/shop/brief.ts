import { z } from 'zod';
import type { Kind } from '../../engine/supervisor/handler.ts';
import { agentLanding } from '../agent/agent-landing.ts';
import { loadConstitution, loadRole } from '../agent/constitution.ts';
import { type HistoryReader, recentTurns } from '../agent/history.ts';
import { LIMITS, type LoopLimits } from '../agent/loop.ts';
import { payloadOf, runAgent } from '../agent/run.ts';
import { answerLimit, toolbox } from '../agent/tools.ts';
import { landBrief } from './brief-landing.ts';
import { type StockLine, type StockReader, shopTools } from './tools.ts';

export interface BriefParts {
  stock: StockReader;
  history: HistoryReader;
  /** The folder with constitution.md and prompts/. */
  resources: string;
}

const payload = z.object({ prompt: z.string().min(1) });

/** What a brief fixes at its start, so that a resumed one goes on as it began. */
const given = z.object({
  history: z.array(z.object({ prompt: z.string(), result: z.string() })),
  turns: z.int(),
  toolCalls: z.int(),
});
type Given = z.infer<typeof given>;

/** One brief drafts at most this many products; what is beyond is named in the draft. */
const MOST_PRODUCTS = 60;

/**
 * The kind `brief`: a schedule's or a shortage's turn over the stock. Reads the constitution and the
 * role when it is made; throws ConstitutionError there when the resources were changed.
 */
export function briefKind(parts: BriefParts): Kind {
  const constitution = loadConstitution(parts.resources);
  const role = loadRole(parts.resources, 'brief');
  const tools = shopTools(parts.stock);
  const names = tools.map((tool) => tool.name);

  return {
    name: 'brief',
    idempotent: false,
    landing: agentLanding,
    async run(context) {
      const { job, model } = context;
      const { prompt } = payloadOf(payload, 'brief', job.payload);
      const scope = { subject: job.subject, maxCharacters: answerLimit(model.numCtx) };
      return runAgent<Given>(context, {
        given,
        start: async () => ({
          history: job.session === null ? [] : recentTurns(await parts.history(job.session)),
          ...roomFor(await parts.stock.needs(job.subject ?? undefined)),
        }),
        work: ({ history, turns, toolCalls }) => ({
          parts: {
            ...{ constitution, role: roleFor(role, job.subject), task: prompt },
            ...{ history, retrieved: [], tools: [] },
          },
          toolbox: toolbox(tools, scope),
          limits: { ...LIMITS, turns, toolCalls },
        }),
        async land(state) {
          const lines = await parts.stock.needs(job.subject ?? undefined);
          return landBrief({ job, model, state, tools: names, remarks: [] }, lines, prompt);
        },
      });
    },
  };
}

/** A model may draft one product a turn, so a long list of needs takes more turns than the usual 8. */
function roomFor(lines: readonly StockLine[]): Pick<LoopLimits, 'turns' | 'toolCalls'> {
  const inNeed = Math.min(MOST_PRODUCTS, lines.filter((line) => line.needed > 0).length);
  return {
    turns: Math.max(LIMITS.turns, inNeed + 4),
    toolCalls: Math.max(LIMITS.toolCalls, 3 * inNeed),
  };
}

function roleFor(role: string, subject: string | null): string {
  return subject === null ? role : `${role}\n\nThis work concerns the product ${subject} only.`;
}
