import type { PanelView } from '../contract.ts';

export type TrayState = 'idle' | 'working' | 'waiting' | 'paused' | 'needs-you';

/** What the icon says of the host's view, without opening anything. */
export interface TrayModel {
  state: TrayState;
  /** Drafts that wait for the owner, as text beside the icon; empty for none. */
  count: string;
  /** The one line, and what waits for the owner. */
  tooltip: string;
}

export type TrayInput = Pick<PanelView, 'status' | 'notices'>;

/** Null: the host has not said anything yet. */
export function trayModel(view: TrayInput | null): TrayModel {
  if (view === null) return { state: 'idle', count: '', tooltip: 'Lull is starting' };
  const { line, drafts } = view.status;
  return {
    state: stateOf(view),
    count: drafts.pending === 0 ? '' : drafts.pending > 99 ? '99+' : String(drafts.pending),
    tooltip: [line, draftsInWords(drafts.pending), noticesInWords(view.notices.length)]
      .filter(Boolean)
      .join(' · '),
  };
}

/** A pause is the owner's own word and is always seen; then what asks for the owner; then what Lull does. */
function stateOf({ status, notices }: TrayInput): TrayState {
  const { paused, queue, drafts } = status;
  if (paused.all) return 'paused';
  if (drafts.pending > 0 || notices.length > 0) return 'needs-you';
  if (queue.running > 0) return 'working';
  if (paused.heavy) return 'paused';
  return queue.queued + queue.deferred > 0 ? 'waiting' : 'idle';
}

function draftsInWords(pending: number): string {
  if (pending === 0) return '';
  return pending === 1 ? '1 draft for you' : `${pending} drafts for you`;
}

function noticesInWords(open: number): string {
  if (open === 0) return '';
  return open === 1 ? '1 notice' : `${open} notices`;
}
