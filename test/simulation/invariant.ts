import type { ServerEffect } from './model-server.ts';
import type { Changes, LoadRow, Rows } from './rows.ts';

/** What happens outside the database. */
export type Effect =
  | ServerEffect
  | { kind: 'hold' | 'release' }
  | { kind: 'order'; file: string; content: string };

export interface Fault {
  /** The invariant that does not hold. */
  name: string;
  message: string;
}

/**
 * Something that must always be so. Each function says in a sentence what is wrong, or nothing. They
 * go by the rows and by the world as it is, and share no code with the engine.
 */
export interface Invariant {
  readonly name: string;
  onCommit?(changes: Changes, rows: Rows): string | null | undefined;
  /** Lines that a commit gave to the ledger of loads. */
  onLoads?(rows: readonly LoadRow[]): string | null | undefined;
  onEffect?(effect: Effect): string | null | undefined;
  onTime?(ms: number): string | null | undefined;
  onDeath?(): void;
  atEnd?(): string | null | undefined;
}
