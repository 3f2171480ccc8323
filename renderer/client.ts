import type {
  CommandInput,
  CommandName,
  CommandOutput,
  PanelView,
  Push,
} from '../main/surfaces/contract.ts';

/** A refusal of the host, or the failure to reach it. */
export class CallError extends Error {
  readonly code: string;
  readonly hint: string | undefined;

  constructor(code: string, message: string, hint?: string) {
    super(message);
    this.code = code;
    this.hint = hint;
  }
}

/** `away`: it is looked for again and again by itself. `shut`: it is there, and this page is not let in. */
export type Connection = 'here' | 'away' | 'shut';

/** The only thing the panel knows of the host. Views call it, and never ask how it is carried. */
export interface Client {
  /** The view that came with the page; where none did, it is asked for. */
  readonly first?: PanelView | null;
  call<N extends CommandName>(command: N, input: CommandInput<N>): Promise<CommandOutput<N>>;
  /** Calls `onPush` for each push, and `onConnection` when the host is reached or lost. */
  follow(onPush: (push: Push) => void, onConnection: (connection: Connection) => void): () => void;
}

const SHUT = 'This page has no access any more. Open the panel again with the link of: lull open';

/**
 * The loopback HTTP carrier: one POST a command, one event stream for pushes. A command that could
 * not be sent because the host was away is sent again when it is back, so that no click is lost;
 * every command that changes something may be repeated without harm.
 */
export function httpClient(first: PanelView | null = null): Client {
  let reached = Promise.withResolvers<Connection>();

  function tell(connection: 'here' | 'shut'): void {
    reached.resolve(connection);
    reached = Promise.withResolvers<Connection>();
  }

  async function post(command: string, body: string): Promise<Response> {
    for (;;) {
      try {
        return await fetch(`/api/${command}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body,
        });
      } catch {
        if ((await reached.promise) === 'shut') throw new CallError('signed_out', SHUT);
      }
    }
  }

  return {
    first,
    async call(command, input) {
      const response = await post(command, JSON.stringify(input));
      const reply = await response.json().catch(() => null);
      if (response.status === 401) throw new CallError('signed_out', SHUT);
      if (!reply) throw new CallError('failed', `The host answered ${response.status}.`);
      if (!reply.ok) throw new CallError(reply.code, reply.message, reply.hint);
      return reply.value;
    },
    follow(onPush, onConnection) {
      const stream = new EventSource('/events');
      stream.onopen = () => {
        tell('here');
        onConnection('here');
      };
      stream.onerror = () => {
        // A browser looks again for a host that is away, and gives up on one that refuses it.
        const shut = stream.readyState === EventSource.CLOSED;
        if (shut) tell('shut');
        onConnection(shut ? 'shut' : 'away');
      };
      stream.onmessage = (message) => onPush(JSON.parse(message.data));
      return () => stream.close();
    },
  };
}
