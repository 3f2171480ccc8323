import { mount } from 'svelte';
import App from './App.svelte';
import { httpClient } from './client.ts';
import { electronClient, popoverManners } from './electron-client.ts';

const bridge = window.lull;
if (bridge) popoverManners(bridge, document);

/** The view that the host sent along with the page. */
const sent = document.getElementById('first')?.textContent;
const first = sent ? JSON.parse(sent) : null;

mount(App, {
  target: document.getElementById('app') as HTMLElement,
  props: { client: bridge ? electronClient(bridge) : httpClient(first) },
});
