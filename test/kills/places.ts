/** The kinds of work that run in worker processes there. */
const BRIEFS = { brief: 'worker' };
const TASKS = { task: 'worker' };

export interface Place {
  /** The failpoints of the place. */
  points: readonly string[];
  /** How often a whole run visits each. */
  visits: number;
  /** Which kinds run in worker processes; left out: none. */
  workers?: Readonly<Record<string, string>>;
  /** So many workers reach the place, and one of them is ended instead of the host. */
  ends?: number;
}

/** Where hosts and workers are ended. */
export const PLACES: Readonly<Record<string, Place>> = {
  'claim to load': { points: ['claim.after', 'load.before', 'load.after'], visits: 5 },
  'model call': { points: ['model.call'], visits: 9 },
  'tool result': { points: ['tool.result'], visits: 6 },
  land: { points: ['land.before', 'land.inside', 'land.after'], visits: 5 },
  checkpoint: { points: ['checkpoint.before', 'checkpoint.after'], visits: 6 },
  admission: { points: ['admission.inside'], visits: 4 },
  'order writing': { points: ['order.approved', 'order.file', 'order.written'], visits: 3 },
  migration: { points: ['migration.backup', 'migration.inside', 'migration.after'], visits: 1 },
  'hung host': { points: ['model.call', 'tool.result', 'land.before'], visits: 3 },
  'host of workers': {
    points: ['load.after', 'checkpoint.before', 'checkpoint.after', 'land.before', 'land.after'],
    visits: 5,
    workers: { ...BRIEFS, ...TASKS },
  },
  'worker, its steps': {
    points: ['model.call', 'tool.result', 'worker.batch', 'worker.landed'],
    visits: 2,
    workers: BRIEFS,
    ends: 3,
  },
  'worker, its ends': {
    points: ['worker.begun', 'worker.outcome', 'worker.told'],
    visits: 1,
    workers: BRIEFS,
    ends: 3,
  },
  'worker of a task': {
    points: ['worker.begun', 'model.call', 'worker.batch', 'worker.landed', 'worker.outcome'],
    visits: 1,
    workers: TASKS,
    ends: 2,
  },
};
