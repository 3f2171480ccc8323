import type { CommandName, DraftRow, PanelView, Push } from '../../main/surfaces/contract.ts';
import type { Client, Connection } from '../../renderer/client.ts';

/** A view in which something runs, something waits and a draft is there. Times are epoch ms. */
export function sampleView(changes: Partial<PanelView> = {}): PanelView {
  const at = 1_780_000_000_000;
  const job = {
    id: 1,
    kind: 'task',
    title: 'Summarise the supplier mails',
    tier: 'synthesis' as const,
    state: 'queued' as const,
    priority: 100,
    attempts: 0,
    source: 'manual:1',
    session: null,
    subject: null,
    reason: null,
    coalesced: 0,
    progress: null,
    createdAt: at,
    startedAt: null,
    finishedAt: null,
    expiresAt: null,
  };
  return {
    status: {
      host: {
        pid: 1,
        version: '0.0.1',
        home: '/home/o/lull',
        model: "Lull's offline model (no AI)",
      },
      line: 'Waiting for you to step away',
      paused: { all: null, heavy: null },
      ...{ run: null, stalled: null, wedged: [] },
      word: null,
      gates: [
        { id: 'power', open: true, blocks: 'none', code: 'mains', reason: 'On mains.' },
        { id: 'presence', open: false, blocks: 'heavy', code: 'active', reason: 'You are here.' },
      ],
      queue: { queued: 1, running: 0, deferred: 0 },
      drafts: { pending: 1 },
    },
    detail: '1 heavy job · idle 0:42 of 5:00 · on mains',
    nextLull: null,
    running: [],
    waiting: [
      {
        ...{ ...job, code: 'active', why: 'You are here.', forecast: 'earliest in 4 min 18 s' },
        ...{ expectedAt: null, spreadMs: null },
      },
    ],
    recent: [],
    drafts: [sampleDraft()],
    schedules: [],
    conditions: [],
    stock: [],
    stockTotal: 0,
    notices: [],
    memory: { budgetBytes: 24e9, usedBytes: 0 },
    telling: { drafts: true, digest: true, failures: true },
    tide: {
      from: at,
      to: at + 86_400_000,
      present: [],
      lulls: [],
      ran: [],
      waiting: 1,
      next: null,
      text: 'No history yet.',
    },
    currency: 'USD',
    ...changes,
  };
}

export function sampleDraft(changes: Partial<DraftRow> = {}): DraftRow {
  return {
    id: 7,
    state: 'pending',
    kind: 'order',
    title: 'Replenish vanilla',
    subject: 'ICE-VANILLA',
    totalCents: 1750,
    currency: 'USD',
    job: 3,
    createdAt: 1_780_000_000_000,
    summary: '7 tubs',
    supersededBy: null,
    snoozed: null,
    ...changes,
  };
}

/** A client whose answers a test gives, and which remembers what was asked. */
export function testClient(
  answers: Partial<Record<CommandName, (input: never) => unknown>>,
): Client & {
  calls: { command: string; input: unknown }[];
  push: (push: Push) => void;
  connection: (connection: Connection) => void;
} {
  const calls: { command: string; input: unknown }[] = [];
  let onPush: (push: Push) => void = () => {};
  let onConnection: (connection: Connection) => void = () => {};
  return {
    calls,
    push: (one) => onPush(one),
    connection: (one) => onConnection(one),
    async call(command, input) {
      calls.push({ command, input });
      const answer = answers[command];
      if (!answer) throw new Error(`no answer for ${command}`);
      return (await answer(input as never)) as never;
    },
    follow(push, connection) {
      onPush = push;
      onConnection = connection;
      queueMicrotask(() => connection('here'));
      return () => {};
    },
  };
}
