import { app } from 'electron';

/**
 * The platform as far as Electron differs by it. Asked of Electron itself: what it offers is what
 * counts, and only on macOS can an app do without a Dock icon.
 */
export function desktopPlatform(): 'darwin' | 'linux' {
  return (app.setActivationPolicy as unknown) === undefined ? 'linux' : 'darwin';
}
