import { finalizeEvent, generateSecretKey, type NostrEvent } from 'nostr-tools/pure';
import { WebSocket } from 'ws';

/**
 * A fleet member that is not Lull: the lock of existing tools, written down from the description of their
 * events and rules alone. It shares no code with ours, so that the two only meet at a relay.
 */
export interface ExistingTool {
  /** Who has what now: expired ones are dropped, those without an expiration count. */
  look(cadence: string, date: string): Promise<TheirLock[]>;
  acquire(agent: string, cadence?: string): Promise<'ok' | 'denied' | 'race_lost'>;
  complete(agent: string, cadence?: string): Promise<void>;
  /** Publishes a completion that carries another date of the window. */
  completeOn(agent: string, cadence: string, date: string): Promise<void>;
}

export interface TheirLock {
  id: string;
  agent: string;
  status: string;
  createdAt: number;
}

const TTL_SECONDS = 7200;

export function existingTool(url: string, namespace: string): ExistingTool {
  const seconds = () => Math.floor(Date.now() / 1000);
  const today = () => new Date().toISOString().slice(0, 10);
  const tagsOf = (agent: string, cadence: string, date: string) => [
    ['d', `${namespace}-lock/${cadence}/${agent}/${date}`],
    ['t', `${namespace}-agent-lock`],
    ['t', `${namespace}-lock-${cadence}`],
    ['t', `${namespace}-lock-${cadence}-${date}`],
  ];

  /** Sends one message; gives what comes till one that `ends` it. */
  function ask(message: unknown[], ends: string): Promise<unknown[][]> {
    return new Promise((resolve, reject) => {
      const socket = new WebSocket(url);
      const heard: unknown[][] = [];
      socket.on('error', reject);
      socket.on('open', () => socket.send(JSON.stringify(message)));
      socket.on('message', (data) => {
        const said = JSON.parse(String(data)) as unknown[];
        heard.push(said);
        if (said[0] !== ends) return;
        socket.close();
        resolve(heard);
      });
    });
  }

  async function publish(template: { created_at: number; tags: string[][]; content: object }) {
    const { created_at, tags } = template;
    const content = JSON.stringify(template.content);
    const event = finalizeEvent({ kind: 30078, created_at, tags, content }, generateSecretKey());
    const [said] = (await ask(['EVENT', event], 'OK')).slice(-1);
    if (said?.[2] !== true) throw new Error(`refused: ${String(said?.[3])}`);
    return event.id;
  }

  async function look(cadence: string, date: string): Promise<TheirLock[]> {
    const filter = { kinds: [30078], '#t': [`${namespace}-lock-${cadence}-${date}`] };
    const heard = await ask(['REQ', 'q', filter], 'EOSE');
    return heard
      .filter(([type]) => type === 'EVENT')
      .map(([, , event]) => event as NostrEvent)
      .filter(({ tags }) => {
        const until = tags.find(([name]) => name === 'expiration')?.[1];
        return until === undefined || Number(until) > seconds();
      })
      .map(({ id, content, created_at }) => {
        const { agent, status } = JSON.parse(content) as { agent: string; status: string };
        return { id, agent, status, createdAt: created_at };
      });
  }

  const completion = (agent: string, cadence: string, date: string, startedAt: number) =>
    publish({
      created_at: seconds(),
      tags: tagsOf(agent, cadence, date),
      content: {
        ...{ agent, cadence, status: 'completed', namespace, date, platform: 'codex', model: 'm' },
        startedAt: new Date(startedAt * 1000).toISOString(),
        completedAt: new Date().toISOString(),
      },
    });

  return {
    look,

    async acquire(agent, cadence = 'daily') {
      const date = today();
      const ofAgent = async () =>
        (await look(cadence, date)).filter((lock) => lock.agent === agent);
      if ((await ofAgent()).length > 0) return 'denied';
      const now = seconds();
      const mine = await publish({
        created_at: now,
        tags: [...tagsOf(agent, cadence, date), ['expiration', String(now + TTL_SECONDS)]],
        content: {
          ...{ agent, cadence, status: 'started', namespace, date, platform: 'codex', model: 'm' },
          lockedAt: new Date(now * 1000).toISOString(),
          expiresAt: new Date((now + TTL_SECONDS) * 1000).toISOString(),
          ...{ gitCommit: null, promptPath: null, promptHash: null },
        },
      });
      await new Promise((resolve) => setTimeout(resolve, 1500));
      const [first] = (await ofAgent()).sort(
        (a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1),
      );
      return first?.id === mine ? 'ok' : 'race_lost';
    },

    async complete(agent, cadence = 'daily') {
      const found = (await look(cadence, today())).find(
        (lock) => lock.agent === agent && lock.status === 'started',
      );
      if (!found) throw new Error(`nothing to complete: ${agent}`);
      await completion(agent, cadence, today(), found.createdAt);
    },

    completeOn: async (agent, cadence, date) =>
      void (await completion(agent, cadence, date, seconds() - 60)),
  };
}
