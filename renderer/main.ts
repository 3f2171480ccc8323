import { mount } from 'svelte';
import App from './App.svelte';
import { httpClient } from './client.ts';
import { electronClient, popoverManners } from './electron-client.ts';

const bridge = window.lull;
if (bridge) popoverManners(bridge, document);

mount(App, {
  target: document.getElementById('app') as HTMLElement,
  props: { client: bridge ? electronClient(bridge) : httpClient() },
});
