/**
 * Rows the owner has just decided on stay where they were, with what became of them and the way
 * back, until the place is left: nothing jumps away under the pointer.
 */
export class Lingering<T extends { id: number }> {
  #kept = $state.raw<readonly { row: T; index: number }[]>([]);
  /** Where each row was last seen: a push may take it away before the answer is there. */
  readonly #places = new Map<number, number>();

  keep(row: T): void {
    const index = this.#places.get(row.id) ?? 0;
    this.#kept = [...this.#kept.filter((one) => one.row.id !== row.id), { row, index }];
  }

  /** The row is again what the host says of it. */
  release(id: number): void {
    this.#kept = this.#kept.filter((one) => one.row.id !== id);
  }

  get(id: number): T | undefined {
    return this.#kept.find((one) => one.row.id === id)?.row;
  }

  /** `rows` with those that stay, each at its old place. */
  among<R extends { id: number }>(rows: readonly R[]): (R | T)[] {
    const all: (R | T)[] = rows.filter((row) => !this.get(row.id));
    const inOrder = [...this.#kept].sort((a, b) => a.index - b.index);
    for (const { row, index } of inOrder) all.splice(index, 0, row);
    for (const [index, { id }] of all.entries()) this.#places.set(id, index);
    return all;
  }
}
