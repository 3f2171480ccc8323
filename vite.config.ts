import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig, type Plugin } from 'vite';

/** An import is an import: with one style sheet for all there is nothing to be loaded beside it. */
const plainImports: Plugin = {
  name: 'plain-imports',
  enforce: 'pre',
  load: (id) =>
    id.includes('vite/preload-helper') ? 'export const __vitePreload = (load) => load();' : null,
};

/** Builds the panel to dist/renderer: hashed files that a strict content security policy allows. */
export default defineConfig({
  root: 'renderer',
  base: './',
  plugins: [plainImports, svelte({ configFile: '../svelte.config.js' })],
  build: {
    outDir: '../dist/renderer',
    emptyOutDir: true,
    target: 'es2024',
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    modulePreload: false,
  },
});
