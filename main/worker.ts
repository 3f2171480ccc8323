/**
 * The entry of a worker process: one job of the host that started it, then the end. It opens no
 * database and holds no key.
 */
import { systemClock } from './base/clock.ts';
import { type ParentPort, pipeChannel, portChannel } from './engine/workers/channel.ts';
import { closeDoors } from './engine/workers/guard.ts';
import { holdLifeline } from './engine/workers/lifeline.ts';
import { serveWorker } from './engine/workers/serve-worker.ts';
import { workKinds } from './kinds.ts';
import { sessionReader } from './work/agent/session-shelf.ts';
import { stockReader } from './work/shop/stock-shelf.ts';

const CHANNEL_FD = 3;
const LIFELINE_FD = 4;

const { parentPort } = process as { parentPort?: ParentPort };
if (!parentPort) holdLifeline(LIFELINE_FD);
const doors = closeDoors();

serveWorker({
  channel: parentPort ? portChannel(parentPort) : pipeChannel(CHANNEL_FD),
  clock: systemClock(),
  doors,
  kinds: (reads, home) =>
    workKinds({ stock: stockReader(reads), history: sessionReader(reads), home }),
});
