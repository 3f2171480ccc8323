import type { Clock } from '../../base/clock.ts';
import type { Config } from '../../base/config-schema.ts';
import type { Candidate } from './candidates.ts';
import { type Proposal, proposeLineup } from './proposal.ts';
import {
  FULL_MANNER,
  type InstalledModel,
  ModelError,
  type ModelServer,
  type ModelShape,
  type ResidentModel,
} from './server.ts';
import type { ServerKey } from './server-key.ts';
import { ollamaServer } from './servers/ollama.ts';
import { openaiServer } from './servers/openai.ts';
import type { Patience } from './watchdog.ts';

type ServerConfig = Config['models']['servers'][number];

export interface FoundModel {
  readonly name: string;
  /** Bytes on disk; null when the server does not say. */
  readonly bytes: number | null;
  readonly remote: boolean;
  readonly embedding: boolean;
  readonly tools: boolean | null;
  readonly resident: boolean;
  /** The window it has now, or is known to get; tokens. */
  readonly window: number | null;
}

export interface FoundServer {
  readonly name: string;
  readonly kind: 'ollama' | 'openai';
  readonly url: string;
  /** The program, as its users know it: Ollama, LM Studio. */
  readonly title: string;
  readonly version: string | null;
  /** It is in the settings already. */
  readonly configured: boolean;
  /** Why nothing is known of its models, in one line; null when it answered. */
  readonly problem: string | null;
  readonly models: FoundModel[];
}

export interface Discovery {
  readonly ramBytes: number;
  readonly servers: FoundServer[];
  readonly proposal: Proposal;
}

export interface DiscoveryParts {
  readonly clock: Clock;
  readonly configured: readonly ServerConfig[];
  /** The key of a configured server; null where it needs none. */
  readonly keyOf: (server: ServerConfig) => ServerKey | null;
  readonly ramBytes: number;
  readonly budgetBytes: number;
  /** Loopback ports that are tried; those of the usual programs unless a test says otherwise. */
  readonly ports?: readonly number[];
}

/** Ollama, LM Studio, llama.cpp and llama-swap (for years, and now), vLLM. */
export const USUAL_PORTS = [11_434, 1234, 8080, 9931, 8000] as const;

/** The ports to try: those of the usual programs, or the ones a test names, comma by comma. */
export function portsToTry(named = process.env.LULL_MODEL_PORTS): readonly number[] {
  if (named === undefined) return USUAL_PORTS;
  return named.split(',').filter(Boolean).map(Number);
}

const OLLAMA_PORT = 11_434;
const OLLAMA_URL = `http://127.0.0.1:${OLLAMA_PORT}`;
/** Loopback answers at once or not at all; who is asked nothing can wait for does not wait. */
const PATIENCE: Patience = { answer: 3000, load: 3000, firstToken: 3000, betweenTokens: 3000 };
/** Descriptions of models asked for at once. */
const AT_ONCE = 4;
const GENERIC = 'OpenAI-compatible server';

/**
 * Looks for model servers: the configured ones, and on loopback where the usual programs listen. Only
 * reads are sent, nothing is loaded. Never throws for a server; ModelError `aborted` by the signal.
 */
export async function discover(parts: DiscoveryParts, signal?: AbortSignal): Promise<Discovery> {
  const { configured, ramBytes, budgetBytes } = parts;
  const known = configured.filter((one) => one.kind !== 'offline');
  const taken = new Set(known.map((one) => portOf(one.url ?? OLLAMA_URL)));
  const ports = (parts.ports ?? USUAL_PORTS).filter((port) => !taken.has(port));
  const looks = await Promise.all([
    ...known.map((one) => lookAtConfigured(parts.clock, one, parts.keyOf(one), signal)),
    ...ports.map((port) => lookAtPort(parts.clock, port, signal)),
  ]);
  if (signal?.aborted) throw new ModelError('aborted', 'the search was stopped');
  const seen = named(looks.filter((one) => one !== null));
  const candidates = seen.flatMap(({ server, candidates }) =>
    candidates.map((one) => ({ ...one, server: server.name })),
  );
  return {
    ramBytes,
    servers: seen.map(({ server }) => server),
    proposal: proposeLineup(candidates, ramBytes, budgetBytes),
  };
}

interface Look {
  server: FoundServer;
  candidates: Candidate[];
}

async function lookAtConfigured(
  clock: Clock,
  { name, kind, url }: ServerConfig,
  key: ServerKey | null,
  signal?: AbortSignal,
): Promise<Look> {
  const at = url ?? OLLAMA_URL;
  const found = { name, kind: kind as FoundServer['kind'], url: at, configured: true };
  return withServer(clock, { ...found, key }, async (server) => {
    try {
      return await lookAt(server, found, signal);
    } catch (error) {
      return silent(found, found.kind === 'ollama' ? 'Ollama' : name, problemIn(error));
    }
  });
}

/** What answers on a port, on either loopback address; null when nothing does that is known. */
async function lookAtPort(clock: Clock, port: number, signal?: AbortSignal): Promise<Look | null> {
  for (const host of ['127.0.0.1', '[::1]']) {
    const url = `http://${host}:${port}`;
    const kinds: FoundServer['kind'][] =
      port === OLLAMA_PORT ? ['ollama', 'openai'] : ['openai', 'ollama'];
    let generic: Look | null = null;
    for (const kind of kinds) {
      const found = { name: `port ${port}`, kind, url, configured: false };
      const look = await withServer(clock, { ...found, key: null }, async (server) => {
        try {
          return await lookAt(server, found, signal);
        } catch (error) {
          const problem = problemIn(error);
          if (problem.fault === 'denied') return silent(found, GENERIC, problem);
          return problem.fault === 'unreachable' ? 'nobody' : null;
        }
      });
      if (look === 'nobody') break;
      if (look === null) continue;
      // Ollama has `/v1` too, and its own API says more.
      if (look.server.title !== GENERIC || look.server.problem) return look;
      generic = look;
    }
    if (generic) return generic;
  }
  return null;
}

/** A server that answers with nothing but a problem. */
function silent(
  found: Pick<FoundServer, 'name' | 'kind' | 'url' | 'configured'>,
  title: string,
  { message }: ModelError,
): Look {
  const server = { ...found, title, version: null, problem: message, models: [] };
  return { server, candidates: [] };
}

async function withServer<T>(
  clock: Clock,
  { name, kind, url, key }: Pick<FoundServer, 'name' | 'kind' | 'url'> & { key: ServerKey | null },
  work: (server: ModelServer) => Promise<T>,
): Promise<T> {
  const options = { clock, name, url, patience: PATIENCE };
  const server = kind === 'ollama' ? ollamaServer(options) : openaiServer({ ...options, key });
  try {
    return await work(server);
  } finally {
    void server.close().catch(() => {});
  }
}

async function lookAt(
  server: ModelServer,
  found: Pick<FoundServer, 'name' | 'kind' | 'url' | 'configured'>,
  signal?: AbortSignal,
): Promise<Look> {
  const version = await server.ping(signal);
  const manner = (await server.manner?.(signal)) ?? FULL_MANNER;
  const installed = await server.installed(signal);
  const resident = await server.resident(signal);
  const shapes = await shapesOf(server, installed, signal);
  const title = found.kind === 'ollama' ? 'Ollama' : titleOf(server);
  const candidates = installed.map((one, index): Candidate => {
    const here = residentOf(resident, one);
    return {
      ...{ server: found.name, title, model: one.name, bytes: one.bytes },
      ...{ remote: one.remote, embedding: one.embedding, tools: one.tools },
      shape: shapes[index] ?? null,
      setsWindow: manner.setsWindow,
      window: here?.numCtx ?? null,
      stays: !manner.unloads && manner.tells && !manner.swaps && here !== undefined,
    };
  });
  const models = installed.map((one): FoundModel => {
    const here = manner.tells ? residentOf(resident, one) : undefined;
    const { name, bytes, remote, embedding, tools } = one;
    const state = { resident: here !== undefined, window: here?.numCtx ?? null };
    return { name, bytes, remote, embedding, tools, ...state };
  });
  return { server: { ...found, title, version, problem: null, models }, candidates };
}

function residentOf(list: readonly ResidentModel[], { name }: InstalledModel) {
  return list.find((one) => one.name === name);
}

/** The program's own name out of a label such as `LM Studio (desk)`. */
function titleOf({ label, name }: ModelServer): string {
  const own = ` (${name})`;
  return label.endsWith(own) ? label.slice(0, -own.length) : label;
}

async function shapesOf(
  server: ModelServer,
  installed: readonly InstalledModel[],
  signal?: AbortSignal,
): Promise<(ModelShape | null)[]> {
  const shapes: (ModelShape | null)[] = installed.map(() => null);
  const open = installed.flatMap((one, index) => (one.remote || one.embedding ? [] : [index]));
  async function worker(): Promise<void> {
    for (let index = open.shift(); index !== undefined; index = open.shift()) {
      const { name } = installed[index] as InstalledModel;
      shapes[index] = await server.describe(name, signal).catch(() => null);
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return shapes;
}

/** Only a stop of our own passes; what is wrong with a server is told of it. */
function problemIn(error: unknown): ModelError {
  if (!(error instanceof ModelError) || error.fault === 'aborted') throw error;
  return error;
}

/** Gives each server that is not configured a name of its own: the program's, and the port where two are alike. */
function named(looks: readonly Look[]): Look[] {
  const names = new Set(looks.flatMap(({ server }) => (server.configured ? [server.name] : [])));
  return looks.map((look) => {
    const { server } = look;
    if (server.configured) return look;
    const free = [server.title, `${server.title} ${portOf(server.url)}`];
    const name = free.find((one) => !names.has(one)) ?? server.url;
    names.add(name);
    return { ...look, server: { ...server, name } };
  });
}

function portOf(url: string): number {
  const { port, protocol } = new URL(url);
  return Number(port) || (protocol === 'https:' ? 443 : 80);
}
