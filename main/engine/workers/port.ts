/** How worker processes are had: Node's under plain Node, utility processes under Electron. */
export interface WorkerPort {
  /** Starts one. Throws where the system refuses. */
  start(options: { memoryMb: number }, listener: WorkerListener): WorkerProcess;
}

export interface WorkerListener {
  /** One message, as text. */
  onMessage(text: string): void;
  /** A message was longer than any may be; nothing more is read. */
  onOverflow(): void;
  /** It has ended, once; no message follows. */
  onEnd(end: WorkerEnd): void;
}

export interface WorkerEnd {
  readonly code: number | null;
  readonly signal: string | null;
  /** The last of what it wrote on standard error. */
  readonly said: string;
}

/** A started worker process. Every call is safe after its end. */
export interface WorkerProcess {
  readonly pid: number | undefined;
  send(text: string): void;
  /** Asks it to end: SIGTERM. */
  terminate(): void;
  /** Ends it: SIGKILL, to its whole group where that is its own. */
  kill(): void;
  /** Bytes of memory it holds; null where that cannot be told. */
  residentBytes(): Promise<number | null>;
}

/** Lines of standard error are kept to tell why a worker died, and no more than this of them. */
const KEPT_CHARACTERS = 4000;

/** The end of a stream of text, for `WorkerEnd.said`. */
export function tail(): { push(chunk: unknown): void; text(): string } {
  let kept = '';
  return {
    push(chunk) {
      kept = (kept + String(chunk)).slice(-KEPT_CHARACTERS);
    },
    text: () => kept,
  };
}
