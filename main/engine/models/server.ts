/**
 * What Lull needs of a model server. Every adapter keeps these promises: success means that the
 * server's own terminator was seen; faults come as ModelError with a class; abort reaches the socket.
 */
export interface ModelServer {
  readonly name: string;
  /** Shown wherever an answer of it is shown; the offline server says so here. */
  readonly label: string;
  /** Its models use no memory here: they need no load and cost the budget nothing. */
  readonly weightless?: boolean;
  /** What can be done about its memory; FULL_MANNER where left out. Throws ModelError. */
  manner?(signal?: AbortSignal): Promise<Manner>;
  /** Version text when it answers; throws ModelError when it does not. */
  ping(signal?: AbortSignal): Promise<string>;
  installed(signal?: AbortSignal): Promise<InstalledModel[]>;
  /** What is in memory now, by whoever loaded it; eventually consistent. */
  resident(signal?: AbortSignal): Promise<ResidentModel[]>;
  /** Facts for the memory estimate; null where the server cannot say. */
  describe(model: string, signal?: AbortSignal): Promise<ModelShape | null>;
  /** Returns once the model is loaded with this window. */
  load(
    model: string,
    numCtx: number,
    keepAliveMinutes: number | null,
    signal?: AbortSignal,
  ): Promise<void>;
  /** Asks for the unload; only `resident` tells whether it happened. */
  unload(model: string, signal?: AbortSignal): Promise<void>;
  chat(request: ChatRequest, signal: AbortSignal): Promise<ChatTurn>;
}

/** What a server's API lets others know and do about its memory. */
export interface Manner {
  /** A load takes a window; otherwise each model has the window its server gives it. */
  setsWindow: boolean;
  /** A model can be told to leave. */
  unloads: boolean;
  /** It says what is in memory; otherwise each model it lists may be. */
  tells: boolean;
  /** A load may put its other models out, whoever loaded them. */
  swaps: boolean;
  /** It keeps the time a model is to stay; otherwise Lull has to. */
  expires: boolean;
  /** It reports the memory that a resident model uses. */
  measures: boolean;
}

export const FULL_MANNER: Manner = {
  setsWindow: true,
  unloads: true,
  tells: true,
  swaps: false,
  expires: true,
  measures: true,
};

export interface InstalledModel {
  name: string;
  digest: string;
  /** Bytes on disk; null when the server does not say, or says what cannot be. */
  bytes: number | null;
  /** Runs elsewhere: never counted as local memory. */
  remote: boolean;
  /** It makes vectors of text and cannot chat. */
  embedding: boolean;
  /** It can call tools; null when the server does not say. */
  tools: boolean | null;
}

export interface ResidentModel {
  name: string;
  digest: string;
  /** Bytes of memory it uses, as the server reports; null when it does not say. */
  bytes: number | null;
  numCtx: number | null;
}

/** Numbers of the model file that decide the size of its cache (facts from GGUF metadata). */
export interface ModelShape {
  architecture: string;
  fileBytes: number;
  layers: number;
  /** KV heads per layer; 0 = no attention in that layer. One number = the same for every layer. */
  kvHeads: number | number[];
  keyLength: number;
  valueLength: number;
  vocabulary: number | null;
  embeddingLength: number;
  heads: number | null;
  trainedContext: number | null;
  /** Recurrent or MLA parts whose cache the formula does not cover. */
  unusual: boolean;
}

export type ChatMessage =
  | { role: 'system' | 'user'; content: string }
  | { role: 'assistant'; content: string; toolCalls?: ToolCall[] }
  | { role: 'tool'; toolCallId: string; toolName: string; content: string };

export interface ToolCall {
  id: string;
  name: string;
  /** Parsed arguments, or the raw text when it is not a JSON object. */
  arguments: Record<string, unknown> | string;
}

export interface ToolSpec {
  name: string;
  description: string;
  /** JSON Schema of the arguments. */
  parameters: object;
}

export interface ChatRequest {
  model: string;
  numCtx: number;
  messages: ChatMessage[];
  tools: ToolSpec[];
  maxOutputTokens: number;
  keepAliveMinutes: number | null;
  /** Lets the server's key be used for this call, where it asks for one. */
  token?: string;
  /** Called with each piece of text as it arrives. */
  onText?: (text: string) => void;
}

export interface ChatTurn {
  text: string;
  toolCalls: ToolCall[];
  /** Why it ended: `stop` or `length` (cut off at the limit). */
  ended: 'stop' | 'length';
  promptTokens: number | null;
  outputTokens: number | null;
}

/** Fault classes; each has one treatment (retry, defer, fail) decided by the caller. */
export const MODEL_FAULTS = [
  'unreachable', // refused, no route, DNS
  'busy', // 503, 429: try later
  'loading',
  'denied', // it asks for a key, or refuses ours
  'not_found',
  'out_of_memory',
  'unsupported', // the model cannot do that (tools, chat)
  'context_too_long',
  'truncated', // the stream ended without its terminator
  'malformed', // what came is not what the API says
  'stalled', // no byte for longer than the limit
  'aborted', // by us
  'server', // anything else the server said
] as const;
export type ModelFault = (typeof MODEL_FAULTS)[number];

export class ModelError extends Error {
  readonly fault: ModelFault;
  constructor(fault: ModelFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ModelError';
    this.fault = fault;
  }
}
