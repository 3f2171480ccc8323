import { mount } from 'svelte';
import App from './App.svelte';
import { httpClient } from './client.ts';

mount(App, {
  target: document.getElementById('app') as HTMLElement,
  props: { client: httpClient() },
});
