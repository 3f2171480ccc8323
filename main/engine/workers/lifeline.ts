import { Worker } from 'node:worker_threads';

/**
 * Ends this process when the other end of the pipe `fd` is gone. A thread watches it, because the
 * host may die while the main thread computes and hears nothing.
 */
export function holdLifeline(fd: number): void {
  new Worker(WATCH, { eval: true, workerData: fd }).unref();
}

const WATCH = `
const { Socket } = require('node:net');
const end = () => process.kill(process.pid, 'SIGKILL');
new Socket({ fd: require('node:worker_threads').workerData })
  .on('close', end).on('end', end).on('error', end).resume();
`;
