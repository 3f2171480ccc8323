/**
 * A worker process that does what none should. It speaks the protocol by hand and has no guard: the
 * job's payload `{ does }` names what it does once it was given its job.
 */
import { spawn } from 'node:child_process';
import { Socket } from 'node:net';

const channel = new Socket({ fd: 3, readable: true, writable: true });
channel.on('error', () => {});
interface Start {
  job: { id: number; claimNo: number; payload: { does: string } };
}
let head = { job: 0, claim: 0 };
const raw = (text: string): void => void channel.write(text);
const say = (message: object): void => raw(`${JSON.stringify({ ...head, ...message })}\n`);
const end = (outcome: object): void => say({ type: 'ended', outcome });
const done = { kind: 'done', landing: { result: 'done' } };
const stay = (): void => void setInterval(() => {}, 1000);
const forEver = (): never => {
  for (;;);
};

const DEEDS: Record<string, () => void> = {
  'is silent': stay,
  'computes for ever': forEver,
  'tells without end'() {
    const progress = { done: 1, total: null, unit: 'words' };
    for (let i = 0; i < 5000; i++) say({ type: 'progress', progress });
    stay();
  },
  'sends bytes without end'() {
    const megabyte = 'x'.repeat(1024 * 1024);
    const more = (): boolean => channel.write(megabyte, more);
    more();
  },
  'says what is not JSON': () => raw('{"type":\n'),
  'says a word nobody knows': () => say({ type: 'delete', id: 1 }),
  'asks for a fourth verb': () =>
    say({ type: 'read', id: 1, request: { verb: 'set', shelf: 'stock', key: 'a' } }),
  'sends rows of a wrong type': () =>
    say({ type: 'batch', id: 1, token: {}, rows: [{ n: 'one' }] }),
  'sends rows that are none': () => say({ type: 'batch', id: 1, token: {}, rows: 'all' }),
  'sends too many rows': () =>
    say({ type: 'batch', id: 1, token: {}, rows: Array.from({ length: 1001 }, () => ({ n: 1 })) }),
  'speaks for another job': () =>
    say({ job: head.job + 1, type: 'batch', id: 1, token: {}, rows: [] }),
  'speaks for another claim': () =>
    say({ claim: head.claim + 1, type: 'batch', id: 1, token: {}, rows: [{ n: 1 }] }),
  'uses a number twice'() {
    say({ type: 'read', id: 1, request: { verb: 'count', shelf: 'numbers' } });
    say({ type: 'batch', id: 1, token: {}, rows: [{ n: 1 }] });
  },
  'asks for more than it can wait for'() {
    for (let id = 1; id <= 40; id++) say({ type: 'chat', id, request: CALL });
  },
  'yields for a cause of its own': () => end({ kind: 'yielded', cause: 'cancelled' }),
  'ends in a way nobody knows': () => end({ kind: 'won' }),
  'lands a draft of a wrong shape'() {
    const draft = { kind: 'order', title: 'An order', body: {}, totalCents: 1, currency: 'USD' };
    const rest = { subject: null, topic: null, model: null };
    end({ kind: 'done', landing: { result: 'r', draft: { ...draft, ...rest } } });
  },
  'goes on after its end'() {
    end(done);
    say({ type: 'batch', id: 1, token: {}, rows: [{ n: 9 }] });
    stay();
  },
  'ends twice'() {
    end(done);
    end({ kind: 'failed', error: 'after all' });
    stay();
  },
  'goes without a word': () => process.exit(0),
  'goes with an error': () => {
    throw new Error('a fault of its own');
  },
  'is killed': () => void process.kill(process.pid, 'SIGKILL'),
  'closes its line and stays'() {
    channel.destroy();
    stay();
  },
  'ignores what ends it'() {
    for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT']) process.on(signal, () => {});
    stay();
  },
  'is done and does not go'() {
    process.on('SIGTERM', () => {});
    end(done);
    stay();
  },
  'starts a program and is silent'() {
    const child = spawn('sleep', ['600'], { stdio: 'ignore' });
    say({ type: 'progress', progress: { done: child.pid, total: null, unit: 'pid' } });
    stay();
  },
  'starts a program and goes'() {
    const child = spawn('sleep', ['600'], { stdio: 'ignore' });
    say({ type: 'progress', progress: { done: child.pid, total: null, unit: 'pid' } });
    setTimeout(() => process.exit(0), 50);
  },
  'eats memory outside the heap'() {
    const eaten: Buffer[] = [];
    setInterval(() => void eaten.push(Buffer.alloc(32 * 1024 * 1024, 1)), 5);
  },
  'eats the heap'() {
    const eaten: unknown[] = [];
    for (;;) eaten.push(Array.from({ length: 1000 }, (_, i) => ({ i })));
  },
  'calls the model and dies'() {
    say({ type: 'chat', id: 1, request: CALL });
    channel.on('data', () => process.exit(1)); // at the first word of the answer
  },
  'does its work'() {
    say({ type: 'batch', id: 1, token: { n: 1 }, rows: [{ n: 1 }] });
    channel.once('data', () => end(done));
  },
};

const CALL = { messages: [{ role: 'user', content: 'hello' }], tools: [], maxOutputTokens: 100 };

let rest = '';
channel.on('data', function first(chunk: Buffer) {
  rest += chunk;
  if (!rest.includes('\n')) return;
  channel.off('data', first);
  const { job } = JSON.parse(rest) as Start;
  head = { job: job.id, claim: job.claimNo };
  channel.on('data', (more: Buffer) => {
    if (
      String(more).includes('"bye"') &&
      !/done and does not go|after its end|twice/.test(job.payload.does)
    )
      process.exit(0);
  });
  DEEDS[job.payload.does]?.();
});
