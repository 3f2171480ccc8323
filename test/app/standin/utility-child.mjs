// In a utility process: Electron's port to the main process, and the end with it.
Object.assign(process, {
  type: 'utility',
  parentPort: {
    postMessage: (message) => void process.send(message),
    on: (event, listener) => void process.on(event, (data) => listener({ data })),
  },
});
process.on('disconnect', () => process.exit(0));
