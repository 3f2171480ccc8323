import { svelte } from '@sveltejs/vite-plugin-svelte';
import { svelteTesting } from '@testing-library/svelte/vite';
import { defineConfig } from 'vitest/config';
import { FILES_AT_ONCE } from './test/support/budgets.ts';
import { CHROMIUM } from './test/support/chromium.ts';
import { COMPILE_CACHE } from './test/support/compiled.ts';
import { LongestFirst } from './test/support/longest-first.ts';

/** The windows of the app are pages. */
const WINDOWS = ['test/app/{command,package,panel,secrets,security,tray,workers}.test.ts'];

export default defineConfig({
  test: {
    maxWorkers: FILES_AT_ONCE,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'node',
          environment: 'node',
          include: ['test/**/*.test.ts'],
          exclude: ['test/renderer/**', ...(CHROMIUM ? [] : WINDOWS)],
          globalSetup: ['test/support/compiled.ts'],
          env: { NODE_COMPILE_CACHE: COMPILE_CACHE },
          // One process for many files: a third of the processor's time went into loading the same modules.
          isolate: false,
          testTimeout: 40_000,
          hookTimeout: 60_000,
          // Real processes and a real browser on a small shared machine: a stall is not a fault. What
          // fails twice is; what passes only the second time is printed.
          retry: process.env.CI ? 1 : 0,
        },
      },
      {
        plugins: [svelte(), svelteTesting()],
        test: {
          name: 'renderer',
          environment: 'jsdom',
          include: ['test/renderer/**/*.test.ts'],
          setupFiles: ['test/renderer/setup.ts'],
        },
      },
    ],
    coverage: { provider: 'v8', include: ['main/**', 'native/**', 'renderer/**'] },
  },
});
