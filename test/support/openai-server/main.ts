import { parseArgs } from 'node:util';
import type { Faults } from '../model-server/faults.ts';
import type { CallShape } from '../model-server/speak.ts';
import type { Misbehaviour } from '../model-server/working-model.ts';
import type { Style } from './events.ts';
import { type FlavourName, startOpenaiServer } from './server.ts';

/**
 * The test server as a process of its own: `node main.ts --flavour lm-studio --port 0 --token-ms 500
 * --filler-tokens 240 --load-ms 100 --style '{"pieces":"names"}' --faults '{"keepsWorkingMs":5000}'`.
 * Prints its address on the first line, and runs until SIGTERM. `POST /control/set` with
 * {faults, loadMs, speech, style, misbehaviour} changes it later; `GET /control/log` is what it saw.
 */
const { values } = parseArgs({
  options: {
    flavour: { type: 'string', default: 'lm-studio' },
    port: { type: 'string', default: '0' },
    shape: { type: 'string', default: 'chunk' },
    style: { type: 'string', default: '{}' },
    'token-ms': { type: 'string', default: '0' },
    'filler-tokens': { type: 'string', default: '0' },
    'load-ms': { type: 'string', default: '0' },
    faults: { type: 'string', default: '{}' },
    misbehave: { type: 'string', default: '{}' },
  },
});

const server = await startOpenaiServer({
  flavour: values.flavour as FlavourName,
  port: Number(values.port),
  shape: values.shape as CallShape,
  style: JSON.parse(values.style) as Partial<Style>,
  tokenMs: Number(values['token-ms']),
  fillerTokens: Number(values['filler-tokens']),
  loadMs: Number(values['load-ms']),
  faults: JSON.parse(values.faults) as Faults,
  misbehaviour: JSON.parse(values.misbehave) as Misbehaviour,
});
process.stdout.write(`${server.url}\n`);
process.on('SIGTERM', () => void server.close().then(() => process.exit(0)));
