import { parseArgs } from 'node:util';
import type { Faults } from '../model-server/faults.ts';
import type { CallShape } from '../model-server/speak.ts';
import type { Misbehaviour } from '../model-server/working-model.ts';
import { startTestServer } from './server.ts';

/**
 * The test server as a process of its own: `node main.ts --port 0 --shape done --token-ms 500
 * --filler-tokens 240 --load-ms 100 --faults '{"keepsWorkingMs":5000}' --misbehave '{"unknownSku":true}'`.
 * Prints its address on the first line, and runs until SIGTERM. `POST /control/set` with
 * {faults, loadMs, speech, misbehaviour} changes it later; `GET /control/log` is what it saw.
 */
const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    shape: { type: 'string', default: 'chunk' },
    'token-ms': { type: 'string', default: '0' },
    'filler-tokens': { type: 'string', default: '0' },
    'load-ms': { type: 'string', default: '0' },
    faults: { type: 'string', default: '{}' },
    misbehave: { type: 'string', default: '{}' },
  },
});

const server = await startTestServer({
  port: Number(values.port),
  shape: values.shape as CallShape,
  tokenMs: Number(values['token-ms']),
  fillerTokens: Number(values['filler-tokens']),
  loadMs: Number(values['load-ms']),
  faults: JSON.parse(values.faults) as Faults,
  misbehaviour: JSON.parse(values.misbehave) as Misbehaviour,
});
process.stdout.write(`${server.url}\n`);
process.on('SIGTERM', () => void server.close().then(() => process.exit(0)));
