import { extname, join } from 'node:path';

/** The program of a worker process: beside this module, in a clone as a source and else as built. */
export const WORKER_ENTRY = join(import.meta.dirname, `worker${extname(import.meta.filename)}`);
