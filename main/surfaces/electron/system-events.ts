import { powerMonitor, screen } from 'electron';

/** Called for what may have changed a fact. They are hints, and may come twice or not at all. */
const HINTS = [
  'suspend',
  'resume',
  'on-ac',
  'on-battery',
  'lock-screen',
  'unlock-screen',
  'thermal-state-change',
  'speed-limit-change',
  'user-did-become-active',
  'user-did-resign-active',
] as const;

const DISPLAYS = ['display-added', 'display-removed', 'display-metrics-changed'] as const;

export interface SystemEvents {
  /** Read the facts again. */
  onHint(): void;
  /** Nobody looks at this session any more. */
  onLeave(): void;
  /** The system goes down and waits a moment for us. */
  onShutdown(): void;
}

/** Listens to the system until the returned function is called; only after the app is ready. */
export function followSystem({ onHint, onLeave, onShutdown }: SystemEvents): () => void {
  // The events have listeners of different shapes; ours takes none of what they bring.
  const power = powerMonitor as NodeJS.EventEmitter;
  const displays = screen as NodeJS.EventEmitter;
  const leave = ['lock-screen', 'user-did-resign-active', 'suspend'];
  const shutdown = (event: { preventDefault(): void }) => {
    event.preventDefault(); // asks the system to wait; leaving is up to us now
    onShutdown();
  };
  for (const name of HINTS) power.on(name, onHint);
  for (const name of DISPLAYS) displays.on(name, onHint);
  for (const name of leave) power.on(name, onLeave);
  power.on('shutdown', shutdown);
  return () => {
    for (const name of HINTS) power.off(name, onHint);
    for (const name of DISPLAYS) displays.off(name, onHint);
    for (const name of leave) power.off(name, onLeave);
    power.off('shutdown', shutdown);
  };
}
