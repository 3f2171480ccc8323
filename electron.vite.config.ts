import { defineConfig } from 'electron-vite';

/**
 * Builds the desktop app's own scripts into dist/, beside the panel of vite.config.ts: the main process
 * and that of a worker as ES modules (with their chunks in the same folder, because the sources find resources/ and
 * dist/renderer one level up), and the preload script as one CommonJS file, which is all that a
 * sandboxed page may load. What has native parts stays a package; everything else is taken in.
 */
const shared = {
  outDir: 'dist',
  emptyOutDir: false,
  externalizeDeps: false,
  minify: true,
} as const;

export default defineConfig({
  main: {
    build: {
      ...shared,
      license: { fileName: 'licenses.md' }, // of everything that is taken in
      rolldownOptions: {
        input: { electron: 'main/electron.ts', worker: 'main/worker.ts' },
        external: ['better-sqlite3', 'koffi'],
        output: { format: 'es', entryFileNames: '[name].js', chunkFileNames: '[name].js' },
      },
    },
  },
  preload: {
    build: {
      ...shared,
      rolldownOptions: {
        input: { preload: 'main/surfaces/electron/preload.ts' },
        output: { format: 'cjs', entryFileNames: '[name].cjs' },
      },
    },
  },
});
