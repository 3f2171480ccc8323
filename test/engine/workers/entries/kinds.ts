/** A worker process as Lull makes it, with a kind whose payload `{ does }` names what it does. */
import childProcess from 'node:child_process';
import dgram from 'node:dgram';
import dns from 'node:dns';
import { readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import sqlite from 'node:sqlite';
import tls from 'node:tls';
import { Worker } from 'node:worker_threads';
import { systemClock } from '../../../../main/base/clock.ts';
import { LullError } from '../../../../main/base/errors.ts';
import type { Outcome, RunContext } from '../../../../main/engine/supervisor/handler.ts';
import { pipeChannel } from '../../../../main/engine/workers/channel.ts';
import { closeDoors } from '../../../../main/engine/workers/guard.ts';
import { holdLifeline } from '../../../../main/engine/workers/lifeline.ts';
import { serveWorker } from '../../../../main/engine/workers/serve-worker.ts';
import type { ReadPort } from '../../../../main/engine/workers/shelves.ts';

const done = (result: unknown): Outcome => ({
  kind: 'done',
  landing: { result: typeof result === 'string' ? result : JSON.stringify(result) },
});
const hello = {
  messages: [{ role: 'user' as const, content: 'hello' }],
  tools: [],
  maxOutputTokens: 9,
};

const BEGUN = { done: 0, total: null, unit: 'begun' };

/** Why something is refused here; null when it is not. */
async function refusal(attempt: () => unknown): Promise<string | null> {
  try {
    await attempt();
    return null;
  } catch (error) {
    const { message, cause } = error as Error;
    return cause instanceof Error ? cause.message : message;
  }
}

/** Resolves when a connection stands, rejects when it is refused by anyone. */
function connected(socket: net.Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.on('connect', () => resolve(void socket.destroy()));
    socket.on('error', reject);
  });
}

holdLifeline(4); // before threads are refused
const doors = closeDoors();

interface Payload {
  steps: number;
  rows: number[];
  open: number;
  shut: string;
  file: string;
  server: string;
}
type Deed = (context: RunContext, reads: ReadPort, payload: Payload) => Promise<Outcome>;
const DEEDS: Record<string, Deed> = {
  /** One call and one batch a step; from the checkpoint on. */
  async steps(context, _reads, { steps }) {
    let step = (context.job.checkpoint as { step: number } | null)?.step ?? 0;
    while (step < steps) {
      step += 1;
      let streamed = '';
      const turn = await context.model.chat({
        ...hello,
        onText(text) {
          streamed += text;
        },
      });
      if (streamed !== turn.text) throw new Error(`streamed "${streamed}", said "${turn.text}"`);
      await context.checkpoint({ step }, [{ n: step }]);
      context.progress({ done: step, total: steps, unit: 'steps' });
      const cause = context.shouldYield();
      if (cause && step < steps) return { kind: 'yielded', cause };
    }
    return done(`${steps} steps`);
  },
  async rows(context, _reads, { rows }) {
    for (const n of rows) await context.checkpoint({ n }, [{ n }]);
    return done('all');
  },
  async reads(_context, reads) {
    return done([
      await reads.get('numbers', '7'),
      await reads.page('numbers', '', 2),
      await reads.count('numbers'),
      await refusal(() => reads.get('secrets', 'key')),
    ]);
  },
  async environment() {
    return done({
      env: Object.keys(process.env).sort(),
      cwd: process.cwd(),
      argv: process.argv.slice(2),
    });
  },
  async 'computes for ever'(context) {
    context.progress(BEGUN);
    for (;;);
  },
  'is deaf'(context) {
    context.progress(BEGUN);
    return new Promise(() => {});
  },
  async throws() {
    throw new Error('it does not go');
  },
  async 'finds the disk full'() {
    throw new LullError('disk_full', 'the disk is full');
  },
  async 'calls the model'(context) {
    return done((await context.model.chat(hello)).text);
  },
  async doors(_context, _reads, { open, shut, file }) {
    const get = (url: string) => fetch(url).then((answer) => answer.text());
    return done({
      allowed: [
        await get(`http://127.0.0.1:${open}/`),
        await get(`http://localhost:${open}/`),
        await refusal(() => readFileSync(import.meta.filename)),
      ],
      refused: {
        fetch: await refusal(() => fetch('http://198.51.100.7/')),
        server: await refusal(() => fetch(`http://${shut}/`)),
        name: await refusal(() => fetch('http://example.com/')),
        http: await refusal(() => http.get('http://198.51.100.7:8080/')),
        socket: await refusal(() => connected(net.connect(443, '198.51.100.7'))),
        tls: await refusal(() => connected(tls.connect(443, '198.51.100.7'))),
        path: await refusal(() => connected(net.connect('/tmp/host.sock'))),
        lookup: await refusal(() => dns.promises.lookup('secret.example.com')),
        resolve: await refusal(() => dns.promises.resolve('secret.example.com')),
        resolver: await refusal(() => new dns.Resolver().resolve4('secret.example.com', () => {})),
        datagram: await refusal(() => dgram.createSocket('udp4')),
        listen: await refusal(() => net.createServer().listen(0)),
        spawn: await refusal(() => childProcess.spawn('true')),
        spawnSync: await refusal(() => childProcess.spawnSync('true')),
        exec: await refusal(() => childProcess.exec('true')),
        fork: await refusal(() => childProcess.fork('x.js')),
        thread: await refusal(() => new Worker('1', { eval: true })),
        kill: await refusal(() => process.kill(process.ppid, 0)),
        write: await refusal(() => writeFileSync(file, 'x')),
        database: await refusal(() => new sqlite.DatabaseSync(file)),
        native: await refusal(() =>
          import('better-sqlite3').then(({ default: Database }) => new Database(file)),
        ),
        binding: await refusal(() =>
          (process as unknown as { binding(name: string): void }).binding('tcp_wrap'),
        ),
      },
    });
  },
  /** A server that the configuration names, outside the loopback: it is reached for, not refused. */
  async 'reaches its server'(_context, _reads, { server }) {
    const socket = net.connect(Number(server.split(':')[1]), server.split(':')[0]);
    socket.on('error', () => {});
    socket.destroy();
    return done('not refused');
  },
};

serveWorker({
  channel: pipeChannel(3),
  clock: systemClock(),
  doors,
  kinds: (reads) => [
    {
      name: 'apart',
      idempotent: false,
      run: (context) => {
        const payload = context.job.payload as { does: string };
        return (DEEDS[payload.does] as Deed)(context, reads, payload as never);
      },
    },
  ],
});
