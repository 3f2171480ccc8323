import { createHash } from 'node:crypto';

const KEPT = 60;

/** Every step of a run: counted, digested, and the last of them kept for whoever looks into a fault. */
export class Trace {
  steps = 0;
  /** How often each kind of thing has happened: what a run has seen at all. */
  readonly tally = new Map<string, number>();
  readonly #digest = createHash('sha256');
  readonly #last: string[] = [];

  /** `at`: milliseconds since the beginning. */
  record(at: number, what: string): void {
    this.steps += 1;
    const line = `${this.steps} ${stamp(at)} ${what}`;
    this.#digest.update(`${line}\n`);
    this.note(line);
  }

  count(what: string): void {
    this.tally.set(what, (this.tally.get(what) ?? 0) + 1);
  }

  /** For reading only: not a step. */
  note(line: string): void {
    this.#last.push(line);
    if (this.#last.length > KEPT) this.#last.shift();
  }

  last(count: number): string[] {
    return this.#last.slice(-count);
  }

  digest(): string {
    return this.#digest.copy().digest('hex');
  }
}

/** Day and time of a moment of the run: `3 14:05:09.250`. */
export function stamp(at: number): string {
  const two = (value: number) => String(value).padStart(2, '0');
  const seconds = Math.floor(at / 1000);
  const [days, hours] = [Math.floor(seconds / 86_400), Math.floor(seconds / 3600) % 24];
  const rest = `${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
  return `${days} ${two(hours)}:${rest}.${String(at % 1000).padStart(3, '0')}`;
}
