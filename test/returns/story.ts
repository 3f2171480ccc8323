import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { HistoryRow, JobDetail } from '../../main/surfaces/contract.ts';
import { Line, type RunningHost } from '../kills/host.ts';
import type { WireMessage } from '../support/model-server/working-model.ts';
import { workingModel } from '../support/model-server/working-model.ts';
import { startTestServer, type TestServer } from '../support/ollama-server/server.ts';
import { AWAY_AFTER_SECONDS, type Owner, ownerAtDisplay, ownerInFile } from './owner.ts';

/** How a run gives way: at the end of the step it is in, or by an abort of the call after the grace. */
export type Way = 'step' | 'abort';

export interface ReturnOptions {
  way: Way;
  /** How long the model call would last that is under way when the owner returns. */
  callSeconds: number;
  /** For `step`: how long before the end of that call the owner returns. */
  leadSeconds?: number;
  /** By a key on a display, or by the file of facts. */
  display: boolean;
}

export interface Returned {
  /** From the first input until the server generated nothing for us, ms. */
  yieldMs: number;
  /** From the first input until the model had left memory, ms. */
  freeMs: number;
  /** What was not as it must be; empty when all was. */
  faults: string[];
}

/** The job gave way before the owner returned: the machine stood still, or could not be read. */
export class Disturbed extends Error {}

const ROOT = join(import.meta.dirname, '..', '..');
const MODEL = 'llama3.2:latest';
const TOKEN_MS = 500;

/**
 * One return: a host of its own, a job whose first step is done and whose second is a long model call
 * on a test server, and an owner who comes back in the middle of it. Judged by the server's own log,
 * then by the host's answers; at last the owner leaves again, and the job goes on to its end.
 */
export async function playReturn(options: ReturnOptions): Promise<Returned> {
  const folder = mkdtempSync(join(tmpdir(), 'lull-return-'));
  const owner = options.display ? await ownerAtDisplay() : await ownerInFile(folder);
  const server = await slowServer(options.callSeconds);
  try {
    return await play(options, folder, owner, server);
  } finally {
    await owner.close();
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function play(
  options: ReturnOptions,
  folder: string,
  owner: Owner,
  server: TestServer,
): Promise<Returned> {
  const home = join(folder, 'data');
  writeSettings(home, server.url);
  const notes = join(folder, 'notes.md');
  writeFileSync(notes, 'Vanilla sells best on Fridays.\n');
  const host = startHost(home, owner);
  const line = await Line.open(home, host);
  if (!line) throw new Error(`the host did not start: ${host.errors()}`);
  try {
    const added = { text: 'Read the notes and sum them up.', files: [notes], tier: 'synthesis' };
    const { job } = await line.call<{ job: number }>('jobs.add', added);
    await server.log.until('generation-start', 2);
    await pause(pauseOf(options));
    if (server.log.of('generation-start').length + server.log.of('generation-abort').length > 2) {
      throw new Disturbed(causesOf(await show(line, job)));
    }

    const at = owner.returns();
    const end = await Promise.race([
      server.log.until('generation-end', 2),
      server.log.until('generation-abort'),
    ]);
    const unloaded = await server.log.until('unloaded');
    await until(async () => (await show(line, job)).state === 'queued');
    const faults = [
      ...judgeServer(options, server, end.kind),
      ...(await judgeHost(options, line, home, job)),
    ];
    server.speech = { ...server.speech, tokenMs: 0, fillerTokens: 0 };
    owner.leaves();
    faults.push(...(await goOn(options, line, server, job)));
    line.close();
    host.process.kill('SIGTERM');
    const code = await host.ended;
    if (code !== 0) faults.push(`the host ended with ${code}: ${host.errors()}`);
    return { yieldMs: end.at - at, freeMs: unloaded.at - at, faults };
  } catch (error) {
    if (host.errors() === '') throw error;
    throw new Error(`the host said: ${host.errors()}`, { cause: error });
  } finally {
    host.process.kill('SIGKILL');
    await host.ended;
  }
}

function pauseOf({ way, callSeconds, leadSeconds = 3 }: ReturnOptions): number {
  return way === 'abort' ? 1500 : (callSeconds - leadSeconds) * 1000;
}

/** Answers its first call at once, and from then on each lasts as long as is wanted. */
async function slowServer(callSeconds: number): Promise<TestServer> {
  const model = workingModel();
  const fillerTokens = Math.round((callSeconds * 1000) / TOKEN_MS);
  let calls = 0;
  const server = await startTestServer({
    loadMs: 200,
    script(messages, tools) {
      calls += 1; // what is set now holds from the next call on
      if (calls === 1) server.speech = { ...server.speech, tokenMs: TOKEN_MS, fillerTokens };
      return model(messages, tools);
    },
  });
  return server;
}

function writeSettings(home: string, url: string): void {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const settings = {
    presence: { idleThresholdSeconds: AWAY_AFTER_SECONDS },
    // Whatever this machine says of its power and memory, it is the return that is tried here.
    power: {
      shedOnBattery: false,
      shedInLowPowerMode: false,
      floorPercent: 0,
      thermalLimit: 'off',
    },
    memory: { shedUnderPressure: false },
    models: {
      budgetGb: 8,
      servers: [{ name: 'desk', kind: 'ollama', url }],
      tiers: { synthesis: { server: 'desk', model: MODEL, numCtx: 8192 } },
    },
  };
  writeFileSync(join(home, 'config.json'), JSON.stringify(settings));
}

function startHost(home: string, owner: Owner): RunningHost {
  const words = ['start', '--home', home, '--no-open', ...owner.args];
  const child = spawn(process.execPath, [join(ROOT, 'main', 'cli.ts'), ...words], {
    env: { ...process.env, ...owner.env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let errors = '';
  child.stderr?.on('data', (chunk) => {
    errors += chunk;
  });
  const ended = once(child, 'exit').then(
    ([code, signal]) => (signal ?? code) as number | NodeJS.Signals,
  );
  return { process: child, ended, errors: () => errors };
}

function judgeServer({ way }: ReturnOptions, server: TestServer, ended: string): string[] {
  const faults: string[] = [];
  const wanted = way === 'step' ? 'generation-end' : 'generation-abort';
  if (ended !== wanted) faults.push(`the call ended by ${ended}, not by ${wanted}`);
  const starts = server.log.of('generation-start').length;
  if (starts !== 2) faults.push(`${starts} calls were begun before the owner left again`);
  if (server.resident().includes(MODEL)) faults.push('the model is still in memory');
  return faults;
}

/** The checkpoint is kept, the attempt given back, and History says so. */
async function judgeHost(
  { way }: ReturnOptions,
  line: Line,
  home: string,
  job: number,
): Promise<string[]> {
  const faults: string[] = [];
  const expect = (what: string, seen: unknown, wanted: unknown) => {
    if (JSON.stringify(seen) !== JSON.stringify(wanted)) {
      faults.push(`${what} is ${JSON.stringify(seen)}, not ${JSON.stringify(wanted)}`);
    }
  };
  const detail = await show(line, job);
  expect('the state', detail.state, 'queued');
  expect('attempts', detail.attempts, 0);
  expect('the ledger', causesOf(detail), 'returned');
  expect('steps in the checkpoint', turnsOf(home, job), way === 'step' ? 2 : 1);

  const history = async () => (await line.call<HistoryRow[]>('jobs.history', {}))[0];
  // The host asks the server every second at most whether the model has left.
  await until(async () => (await history())?.yields[0]?.freeMs != null, 5000).catch(() => {});
  const row = await history();
  const [gaveWay] = row?.yields ?? [];
  expect('History', [row?.id, gaveWay?.text], [job, 'you came back']);
  if (gaveWay?.tookMs == null) faults.push('History does not say how long it took');
  if (gaveWay?.freeMs == null) faults.push('History does not say when memory was free');
  return faults;
}

/** The owner leaves: the job goes on where it was, and ends with one attempt. */
async function goOn(
  { way }: ReturnOptions,
  line: Line,
  server: TestServer,
  job: number,
): Promise<string[]> {
  const chats = server.log.bodies('/api/chat').length;
  await server.log.until('generation-start', 3);
  const messages = (server.log.bodies('/api/chat')[chats]?.messages ?? []) as WireMessage[];
  const answered = messages.filter(({ role }) => role === 'tool').map(({ tool_name }) => tool_name);
  const wanted = way === 'step' ? ['list_files', 'read_file'] : ['list_files'];
  const faults =
    answered.join() === wanted.join() ? [] : [`it went on after ${answered.join() || 'nothing'}`];
  await until(async () => (await show(line, job)).finishedAt !== null, 30_000);
  const { state, attempts } = await show(line, job);
  if (state !== 'done' || attempts !== 1) faults.push(`at the end ${state}, ${attempts} attempts`);
  return faults;
}

/** Why it gave way, as the ledger names it. */
function causesOf({ events }: JobDetail): string {
  const yields = events.filter(({ kind }) => kind === 'job.yielded');
  return yields.map(({ payload }) => (payload as { cause: string }).cause).join();
}

const show = (line: Line, id: number) => line.call<JobDetail>('jobs.show', { id });

/** Finished turns that the checkpoint holds, as they lie in the database. */
function turnsOf(home: string, job: number): number {
  const db = new Database(join(home, 'lull.sqlite'), { readonly: true, timeout: 5000 });
  try {
    const text = db.prepare('SELECT checkpoint FROM jobs WHERE id = ?').pluck().get(job);
    const token = JSON.parse((text as string | null) ?? '{}') as { loop?: { turns?: number } };
    return token.loop?.turns ?? 0;
  } finally {
    db.close();
  }
}

async function until(holds: () => Promise<boolean>, ms = 60_000): Promise<void> {
  for (const end = Date.now() + ms; !(await holds()); await pause(50)) {
    if (Date.now() > end) throw new Error('it never came to that');
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
