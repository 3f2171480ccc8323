import type { ChatRequest, InstalledModel, Manner, ResidentModel } from '../server.ts';

/** What one kind of OpenAI-compatible server can do beside chatting. Everything throws ModelError. */
export interface Flavour {
  /** The program's name, as its users know it. */
  readonly title: string;
  manner(signal?: AbortSignal): Promise<Manner>;
  version(signal?: AbortSignal): Promise<string>;
  installed(signal?: AbortSignal): Promise<InstalledModel[]>;
  resident(signal?: AbortSignal): Promise<ResidentModel[]>;
  load(
    model: string,
    numCtx: number,
    keepAliveMinutes: number | null,
    signal?: AbortSignal,
  ): Promise<void>;
  unload(model: string, signal?: AbortSignal): Promise<void>;
  /** What its chat requests carry beyond the usual. */
  extras?(request: ChatRequest): object;
  /** Answers in silence with another model than the one that was asked. */
  readonly mayMistakeModel?: boolean;
}
