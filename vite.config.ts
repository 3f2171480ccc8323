import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';

/** Builds the panel to dist/renderer: hashed files that a strict content security policy allows. */
export default defineConfig({
  root: 'renderer',
  base: './',
  plugins: [svelte({ configFile: '../svelte.config.js' })],
  build: {
    outDir: '../dist/renderer',
    emptyOutDir: true,
    target: 'es2024',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});
