import { startRelay } from './relay.ts';

/** `node serve.ts N`: so many relays in a process of their own; prints their addresses as JSON. */
const count = Number(process.argv[2] ?? 1);
const started = await Promise.all(Array.from({ length: count }, () => startRelay()));
process.stdout.write(`${JSON.stringify(started.map(({ url }) => url))}\n`);
process.stdin.resume();
process.stdin.on('end', () => process.exit(0)); // with whoever started it
