// What `import ... from 'electron'` gets in the main process.
const electron = globalThis[Symbol.for('electron.standin')];
export default electron;
export const {
  app,
  BrowserWindow,
  dialog,
  ipcMain,
  Menu,
  nativeTheme,
  Notification,
  powerMonitor,
  protocol,
  safeStorage,
  screen,
  session,
  Tray,
  utilityProcess,
} = electron;
