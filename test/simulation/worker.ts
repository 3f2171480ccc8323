import type { Channel } from '../../main/engine/workers/channel.ts';
import type { WorkerPort } from '../../main/engine/workers/port.ts';
import { serveWorker } from '../../main/engine/workers/serve-worker.ts';
import { workKinds } from '../../main/kinds.ts';
import { sessionReader } from '../../main/work/agent/session-shelf.ts';
import { stockReader } from '../../main/work/shop/stock-shelf.ts';
import type { Random } from './random.ts';
import type { Mortal } from './timeline.ts';
import type { World } from './world.ts';

/** What is wrong with a worker: it dies, falls silent, lies, or does not go when it is told to. */
const TEMPERS = ['dies', 'silent', 'lies', 'stubborn'] as const;

/**
 * Workers as a host has them, with the worker's own code on the far side: its messages take their
 * time, and it can misbehave at any of them. Real processes have their own tests.
 */
export function workersFor(world: World, host: Mortal): WorkerPort {
  const { time } = world;
  let started = 0;

  return {
    start(_limits, listener) {
      started += 1;
      const random = world.random(`worker ${world.trace.steps} ${started}`);
      const temper = random.chance(0.12) ? random.pick(TEMPERS) : null;
      const visit = random.whole(1, 6);
      let said = 0;
      let over = false;
      let gone = false;
      let hear: (text: string) => void = () => {};
      world.trace.count(`worker ${temper ?? 'works'}`);

      function end(code: number | null, signal: string | null): void {
        if (over) return;
        over = true;
        time.awake(5, () => {
          gone = true;
          if (host.alive) listener.onEnd({ code, signal, said: '' });
        });
      }

      const channel: Channel = {
        send(message) {
          said += 1;
          const isNow = said === visit;
          if (over || (temper === 'silent' && said >= visit)) return;
          if (temper === 'dies' && isNow) return end(null, 'SIGSEGV');
          const texts =
            temper === 'lies' && isNow ? lie(message, random) : [JSON.stringify(message)];
          time.awake(1, () => {
            for (const text of texts) if (host.alive && !gone) listener.onMessage(text);
          });
        },
        listen(onMessage) {
          hear = onMessage;
        },
      };
      serveWorker({
        channel,
        clock: time.clockOf(host, random),
        doors: { allow() {} },
        kinds: (reads, home) =>
          workKinds({ stock: stockReader(reads), history: sessionReader(reads), home }),
      });
      return {
        pid: undefined,
        send(text) {
          // The real one leaves its process at this word.
          if (JSON.parse(text).type === 'bye') return end(0, null);
          time.awake(1, () => {
            if (!over && host.alive) hear(text);
          });
        },
        terminate: () => void (temper !== 'stubborn' && end(null, 'SIGTERM')),
        kill: () => end(null, 'SIGKILL'),
        residentBytes: async () => null,
      };
    },
  };
}

/** Something other than what it wanted to say, or that and more. */
function lie(message: object, random: Random): string[] {
  const text = JSON.stringify(message);
  return random.pick([
    ['{'],
    ['[]'],
    [JSON.stringify({ ...message, job: 999_999 })],
    [JSON.stringify({ ...message, claim: 0 })],
    [JSON.stringify({ ...message, type: 'done' })],
    [text, text],
    [text, text.slice(0, -1)],
  ]);
}
