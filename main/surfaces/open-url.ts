import { spawn } from 'node:child_process';

/** Shows an address in the owner's browser, if there is one; never waits, never fails. */
export function openUrl(url: string, platform: NodeJS.Platform = process.platform): void {
  const program = platform === 'darwin' ? 'open' : 'xdg-open';
  const child = spawn(program, [url], { detached: true, stdio: 'ignore' });
  child.on('error', () => {}); // no such program: the address was printed as well
  child.unref();
}
