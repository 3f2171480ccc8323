/** Where hosts are ended: the failpoints of each place, and how often a whole run visits each. */
export const PLACES: Readonly<Record<string, { points: readonly string[]; visits: number }>> = {
  'claim to load': { points: ['claim.after', 'load.before', 'load.after'], visits: 5 },
  'model call': { points: ['model.call'], visits: 9 },
  'tool result': { points: ['tool.result'], visits: 6 },
  land: { points: ['land.before', 'land.inside', 'land.after'], visits: 5 },
  checkpoint: { points: ['checkpoint.before', 'checkpoint.after'], visits: 6 },
  admission: { points: ['admission.inside'], visits: 4 },
  'order writing': { points: ['order.approved', 'order.file', 'order.written'], visits: 3 },
  migration: { points: ['migration.backup', 'migration.inside', 'migration.after'], visits: 1 },
  'hung host': { points: ['model.call', 'tool.result', 'land.before'], visits: 3 },
};
