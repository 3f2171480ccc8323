import { z } from 'zod';
import type { Failure } from '../../base/errors.ts';
import { canonicalJson } from '../../base/ids.ts';
import type { ToolCall, ToolSpec } from '../../engine/models/server.ts';

/** What bounds the tools of one job; fixed before its first turn, whatever the model says. */
export interface Scope {
  /** The only item the job may see and draft; null = all that its tools reach. */
  subject: string | null;
  /** Longest answer of one call, in characters of JSON. */
  maxCharacters: number;
}

export type ToolAnswer = { ok: true; value: unknown; note?: string } | Failure;

/** A tool looks or drafts; there is no third kind, and so no tool that acts. */
export interface Tool<Args = unknown> {
  readonly name: string;
  readonly description: string;
  readonly effect: 'reads' | 'drafts';
  /** The model's arguments, validated before `run`. */
  readonly schema: z.ZodType<Args>;
  run(args: Args, scope: Scope): ToolAnswer | Promise<ToolAnswer>;
}

/** Answer of one call as the model reads it: canonical JSON of {ok:true,value} or {ok:false,error}. */
export interface Answered {
  ok: boolean;
  content: string;
  /** The call itself was wrong: no such tool, or arguments that its schema refuses. */
  malformed: boolean;
}

/** The tools of one job, bound to its scope. */
export interface Toolbox {
  readonly specs: readonly ToolSpec[];
  has(name: string): boolean;
  /** Never throws: whatever goes wrong is an answer that the model can read. */
  invoke(call: ToolCall): Promise<Answered>;
}

/** A quarter of the window in tokens, as characters: some answers and the frame fit beside it. */
export function answerLimit(numCtx: number): number {
  return Math.min(24_000, Math.max(2_000, numCtx));
}

/** Types a tool by its schema; the toolbox validates before it runs one. */
export function tool<S extends z.ZodType>(
  parts: Omit<Tool<z.output<S>>, 'schema'> & { schema: S },
): Tool {
  return parts as unknown as Tool;
}

export function toolbox(tools: readonly Tool[], scope: Scope): Toolbox {
  const byName = new Map(tools.map((each) => [each.name, each]));
  const names = [...byName.keys()].join(', ') || 'none';

  return {
    specs: tools.map(({ name, description, schema }) => ({
      name,
      description,
      parameters: parametersOf(schema),
    })),
    has: (name) => byName.has(name),

    async invoke(call) {
      const found = byName.get(call.name);
      if (!found) return refused(`there is no such tool; the tools are: ${names}`, true);
      if (typeof call.arguments === 'string') {
        return refused('the arguments are not one JSON object', true);
      }
      const parsed = found.schema.safeParse(call.arguments);
      if (!parsed.success) return refused(issuesOf(parsed.error), true);
      try {
        const answer = await found.run(parsed.data, scope);
        if (!answer.ok) return refused(answer.hint ? join(answer) : answer.message, false);
        const content = canonicalJson(answer);
        if (content.length <= scope.maxCharacters) return { ok: true, content, malformed: false };
        return refused(`the answer is longer than ${scope.maxCharacters} characters`, false);
      } catch {
        // What was thrown may hold paths or SQL, which are none of the model's business.
        return refused('the tool failed', false);
      }
    },
  };
}

export function refused(error: string, malformed: boolean): Answered {
  return { ok: false, content: canonicalJson({ ok: false, error }), malformed };
}

function join(failure: Failure): string {
  return `${failure.message}; ${failure.hint}`;
}

function parametersOf(schema: z.ZodType): object {
  const { $schema, ...parameters } = z.toJSONSchema(schema, { io: 'input' });
  return parameters;
}

/** One line: which argument, and what is wrong with it. */
function issuesOf(error: z.ZodError): string {
  return error.issues
    .slice(0, 5)
    .map((issue) => `${issue.path.join('.') || 'arguments'}: ${issue.message}`)
    .join('; ');
}
