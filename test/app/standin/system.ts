import { EventEmitter } from 'node:events';
import { fail, onlyReady, record } from './state.ts';

/** The parts of Electron that speak of the machine rather than of windows. */

export const powerMonitor = new EventEmitter();

let dark = false;
export const nativeTheme = Object.defineProperty(new EventEmitter(), 'shouldUseDarkColors', {
  get: () => dark,
}) as EventEmitter & { readonly shouldUseDarkColors: boolean };
export function setDark(next: boolean): void {
  dark = next;
  nativeTheme.emit('updated');
}

export type StandinDisplay = Pick<Electron.Display, 'id' | 'bounds' | 'workArea'> &
  Partial<Pick<Electron.Display, 'internal'>>;
let displays: StandinDisplay[] = [
  {
    id: 1,
    bounds: { x: 0, y: 0, width: 1440, height: 900 },
    workArea: { x: 0, y: 25, width: 1440, height: 875 },
  },
];
export const screen = Object.assign(new EventEmitter(), {
  getAllDisplays: () => displays,
  getPrimaryDisplay: () => displays[0] as StandinDisplay,
  getDisplayNearestPoint({ x, y }: Electron.Point): StandinDisplay {
    const on = displays.find(
      ({ bounds: b }) => x >= b.x && x < b.x + b.width && y >= b.y && y < b.y + b.height,
    );
    return on ?? (displays[0] as StandinDisplay);
  },
  getCursorScreenPoint: () => ({ x: 700, y: 10 }),
});
export function setDisplays(next: StandinDisplay[]): void {
  displays = next;
  screen.emit('display-metrics-changed', {}, displays[0], ['bounds']);
}

type PermissionRequest = NonNullable<
  Parameters<Electron.Session['setPermissionRequestHandler']>[0]
>;
type PermissionCheck = NonNullable<Parameters<Electron.Session['setPermissionCheckHandler']>[0]>;
type DevicePermission = NonNullable<Parameters<Electron.Session['setDevicePermissionHandler']>[0]>;
const handlers: {
  request?: PermissionRequest;
  check?: PermissionCheck;
  device?: DevicePermission;
} = {};
export const defaultSession = Object.assign(new EventEmitter(), {
  setPermissionRequestHandler(handler: PermissionRequest) {
    handlers.request = handler;
  },
  setPermissionCheckHandler(handler: PermissionCheck) {
    handlers.check = handler;
  },
  setDevicePermissionHandler(handler: DevicePermission) {
    handlers.device = handler;
  },
});
export const session = {
  get defaultSession() {
    onlyReady('session.defaultSession');
    return defaultSession;
  },
};

/** What the app would answer to a page that asks; without a handler Electron grants. */
export function permissionAnswers(
  contents: unknown,
  permission: string,
  url: string,
): { request: boolean; check: boolean; device: boolean } {
  let request = true;
  const granted = (answer: boolean) => {
    request = answer;
  };
  const details = { requestingUrl: url, isMainFrame: true };
  handlers.request?.(contents as never, permission as never, granted, details as never);
  const origin = url.match(/^[^:]+:\/\/[^/]+/)?.[0] ?? 'null'; // of no known scheme for Node
  return {
    request,
    check: handlers.check?.(contents as never, permission as never, `${origin}/`, details) ?? true,
    device: handlers.device?.({ deviceType: 'hid', origin, device: {} as never }) ?? true,
  };
}

interface DialogAnswer {
  response: number;
  checked?: boolean;
}
let answerDialog: ((answer: DialogAnswer) => void) | null = null;
export const dialog = {
  showErrorBox: (title: string, content: string) => record('error-box', { title, content }),
  /** Stays open until a person answers. */
  async showMessageBox(options: Electron.MessageBoxOptions) {
    record('dialog', options);
    const { promise, resolve } = Promise.withResolvers<DialogAnswer>();
    answerDialog = resolve;
    const { response, checked = false } = await promise;
    return { response, checkboxChecked: checked };
  },
};
export function answerOpenDialog(answer: DialogAnswer): void {
  (answerDialog ?? fail('no dialog is open'))(answer);
  answerDialog = null;
}
