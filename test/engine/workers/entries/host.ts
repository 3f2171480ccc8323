/** A host that has one worker; it prints the worker's process id once that has begun. */
import { join } from 'node:path';
import { systemClock } from '../../../../main/base/clock.ts';
import { nodeWorkers } from '../../../../main/engine/workers/node-workers.ts';

const port = nodeWorkers(join(import.meta.dirname, 'kinds.ts'), systemClock());
const worker = port.start(
  { memoryMb: 1024 },
  {
    onMessage: () => process.stdout.write(`${worker.pid}\n`),
    onOverflow: () => {},
    onEnd: () => {},
  },
);
worker.send(
  JSON.stringify({
    type: 'start',
    job: { id: 1, claimNo: 1, kind: 'apart', checkpoint: null, payload: { does: process.argv[2] } },
    model: { label: '', model: '', numCtx: 0 },
    home: '/nowhere',
    servers: [],
  }),
);
setInterval(() => {}, 1000);
