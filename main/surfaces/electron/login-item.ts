import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export interface LoginState {
  open: boolean;
  /** Why it is not so, or what the owner still has to do; null when there is nothing to say. */
  note: string | null;
}

/** Whether the app opens when the owner logs in. Off until the owner says so, and never set otherwise. */
export interface LoginItem {
  read(): LoginState;
  set(open: boolean): void;
}

/** What macOS says of a login item (SMAppService). */
export interface MacLoginItems {
  getLoginItemSettings(): { openAtLogin: boolean; status: string };
  setLoginItemSettings(settings: { openAtLogin: boolean }): void;
}

const NOTES: Readonly<Record<string, string>> = {
  'requires-approval': 'Allow Lull in System Settings → General → Login Items.',
  'not-found': 'macOS does not know this copy of Lull: move it to the Applications folder.',
};

export function macLoginItem(system: MacLoginItems): LoginItem {
  return {
    read() {
      const { openAtLogin, status } = system.getLoginItemSettings();
      return { open: openAtLogin, note: NOTES[status] ?? null };
    },
    set: (openAtLogin) => system.setLoginItemSettings({ openAtLogin }),
  };
}

/** Desktops on Linux start what lies in the autostart folder (freedesktop.org, Autostart 0.5). */
export function linuxLoginItem(configHome: string, executable: string): LoginItem {
  const file = join(configHome, 'autostart', 'lull.desktop');
  return {
    read: () => ({ open: existsSync(file), note: null }),
    set(open) {
      if (!open) return rmSync(file, { force: true });
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, desktopEntry(executable));
    },
  };
}

/** For a copy that is run from its sources: there is nothing that could be opened. */
export function noLoginItem(): LoginItem {
  const note = 'Only an installed Lull can open at login.';
  return { read: () => ({ open: false, note }), set: () => {} };
}

function desktopEntry(executable: string): string {
  return [
    '[Desktop Entry]',
    'Type=Application',
    'Name=Lull',
    'Comment=Heavy work for local models, only while you are away',
    `Exec=${quoted(executable)}`,
    'Terminal=false',
    'X-GNOME-Autostart-enabled=true',
    '',
  ].join('\n');
}

/** An argument as the Desktop Entry Specification quotes it; a percent sign would begin a field code. */
function quoted(path: string): string {
  return `"${path.replaceAll(/["`$\\]/g, '\\$&').replaceAll('%', '%%')}"`;
}
