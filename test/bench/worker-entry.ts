/** A worker process whose one kind computes: so many batches, each of so much hashing. */

import { systemClock } from '../../main/base/clock.ts';
import { pipeChannel } from '../../main/engine/workers/channel.ts';
import { closeDoors } from '../../main/engine/workers/guard.ts';
import { holdLifeline } from '../../main/engine/workers/lifeline.ts';
import { serveWorker } from '../../main/engine/workers/serve-worker.ts';
import { computing } from './computing.ts';

holdLifeline(4);
const doors = closeDoors();
serveWorker({ channel: pipeChannel(3), clock: systemClock(), doors, kinds: () => [computing] });
