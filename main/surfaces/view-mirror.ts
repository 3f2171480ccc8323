import type { PanelView } from './contract.ts';
import type { Dispatch, Subscribe } from './dispatch.ts';

export interface ViewMirror {
  /** The host's view as it was last told; null before the first. */
  view(): PanelView | null;
  close(): void;
}

/** Keeps the panel's view in the main process, for the icon, the menu and the notices. */
export function mirrorView(
  host: { readonly dispatch: Dispatch; readonly subscribe: Subscribe },
  onView: (view: PanelView) => void,
): ViewMirror {
  let view: PanelView | null = null;
  let missed: Partial<PanelView> = {}; // pushed before the first whole view came
  const unsubscribe = host.subscribe(({ changed }) => {
    const sections = changed as Partial<PanelView>;
    if (view) show({ ...view, ...sections });
    else missed = { ...missed, ...sections };
  });

  function show(next: PanelView): void {
    view = next;
    onView(next);
  }

  void host.dispatch('panel', {}).then((reply) => {
    if (reply.ok) show({ ...(reply.value as PanelView), ...missed });
  });
  return { view: () => view, close: unsubscribe };
}
