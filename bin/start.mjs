#!/usr/bin/env node
// `npm start`: builds the panel if its sources changed, then runs the host.
import { buildPanel } from './build.mjs';

const status = buildPanel();
if (status !== 0) process.exit(status);
console.error(
  'The desktop app is not part of this version: Lull runs headless, with its panel in your browser.',
);
process.argv.splice(2, 0, 'start');
await import('./lull.mjs');
