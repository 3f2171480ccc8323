import { join } from 'node:path';
import type { Kind } from './engine/supervisor/handler.ts';
import type { HistoryReader } from './work/agent/history.ts';
import { briefKind } from './work/shop/brief.ts';
import type { StockReader } from './work/shop/tools.ts';
import { taskKind } from './work/task/task.ts';

/** Texts that ship with Lull: the constitution, the roles, the demo. */
export const RESOURCES = join(import.meta.dirname, '..', 'resources');

export interface KindGround {
  readonly stock: StockReader;
  readonly history: HistoryReader;
  /** The data folder: no job is given a file of it. */
  readonly home: string;
}

/** Every kind of work, the same in the host and in its worker processes. */
export function workKinds({ stock, history, home }: KindGround): Kind[] {
  return [
    briefKind({ stock, history, resources: RESOURCES }),
    taskKind({ history, resources: RESOURCES, home }),
  ];
}
