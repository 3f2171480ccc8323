import type { Clock } from '../../../main/base/clock.ts';
import type { Home } from '../../../main/base/home.ts';
import { type CliDeps, runCli } from '../../../main/surfaces/cli/run.ts';
import type {
  CommandName,
  CyclesView,
  DraftRow,
  FoundView,
  JobRow,
  ModelsView,
  ProductRow,
  ScheduleRow,
} from '../../../main/surfaces/contract.ts';
import { type Dispatch, dispatcher, type Handlers } from '../../../main/surfaces/dispatch.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { temporaryFolder } from '../../support/store.ts';

export const NOW = new Date(2026, 4, 10, 12).getTime();

export const JOB: JobRow = {
  id: 7,
  kind: 'oneoff',
  title: 'Read the minutes',
  tier: 'synthesis',
  state: 'queued',
  priority: 10,
  attempts: 0,
  source: 'manual:a',
  session: null,
  subject: null,
  reason: 'you are here',
  coalesced: 0,
  progress: null,
  createdAt: NOW - 60_000,
  startedAt: null,
  finishedAt: null,
  expiresAt: null,
};

export const DRAFT: DraftRow = {
  id: 3,
  state: 'pending',
  kind: 'order',
  title: 'Order 6 tubs of Vanilla',
  subject: 'SKU-VANILLA',
  totalCents: 1500,
  currency: 'USD',
  job: 7,
  createdAt: NOW - 30_000,
  summary: '6 tubs',
  supersededBy: null,
  snoozed: null,
};

const NOT_DUE = { roster: [], paused: [], schedule: null };

const CYCLES: CyclesView = {
  lock: 'local',
  relays: [],
  repositories: [
    {
      path: '/work/site',
      platform: 'claude',
      model: null,
      prepare: null,
      consent: { at: NOW, said: 'yes' },
      fault: null,
      cadences: {
        daily: { ...NOT_DUE, roster: ['docs-agent', 'audit-agent'], paused: ['audit-agent'] },
        weekly: NOT_DUE,
      },
    },
  ],
  runs: [
    {
      id: 1,
      job: 7,
      repository: '/work/site',
      cadence: 'daily',
      startedAt: NOW - 60_000,
      endedAt: NOW - 1_000,
      status: 'completed',
      agent: 'docs-agent',
      reason: 'Scheduler cycle completed successfully',
      detail: null,
      draft: 3,
    },
  ],
};

export const PRODUCT: ProductRow = {
  sku: 'SKU-VANILLA',
  name: 'Vanilla',
  unit: 'tubs',
  onHand: 2,
  reorderPoint: 8,
  unitCostCents: 250,
  needed: 6,
  watched: true,
};

export const SCHEDULE: ScheduleRow = {
  id: 'brief',
  revision: 1,
  prompt: 'Write the brief',
  session: 'shop',
  tier: null,
  rule: { kind: 'interval', everySeconds: 86_400, first: NOW },
  ruleText: 'every 1 d',
  missed: { kind: 'coalesce' },
  to: 'local',
  enabled: true,
  nextDue: NOW + 3_600_000,
  missedCount: 5,
  coalescedCount: 3,
  lastAdmittedAt: null,
  lastStartedAt: null,
  lastFinishedAt: null,
};

const CONDITION = {
  id: 'low',
  sku: 'SKU-VANILLA',
  session: 'shop',
  enabled: true,
  armed: false,
  generation: 2,
  problem: null,
};

const MODELS: ModelsView = {
  chosen: false,
  forced: false,
  budgetBytes: 24e9,
  usedBytes: 9.6e9,
  residents: [
    {
      ...{ server: 'Ollama', model: 'qwen3:8b', numCtx: 8192, bytes: 9.6e9 },
      ...{ ours: true, role: 'worker', presumed: false },
    },
  ],
  lineup: [
    ...(['pinned', 'routine', 'synthesis', 'stretch'] as const).map((tier) => ({
      ...{ tier, server: 'Ollama', label: 'Ollama', model: 'qwen3:8b', numCtx: 8192 },
    })),
  ],
  loads: [
    {
      ...{ id: 1, at: NOW - 60_000, action: 'load', server: 'Ollama', model: 'qwen3:8b' },
      ...{ tier: 'routine', numCtx: 8192, bytes: 9.6e9, millis: 4_200, swapped: true },
      detail: null,
    },
  ],
  tally: { loads: 3, swaps: 1, refusals: 0 },
};

const CHOICE = { server: 'Ollama', model: 'qwen3:8b', numCtx: 8192, bytes: 9.6e9 };
const FOUND: FoundView = {
  ramBytes: 32e9,
  servers: [
    {
      ...{ name: 'Ollama', kind: 'ollama', url: 'http://127.0.0.1:11434', title: 'Ollama' },
      ...{ version: '0.33.0', configured: false, problem: null, models: [] },
    },
  ],
  proposal: {
    budgetBytes: 24e9,
    tiers: {
      ...{ pinned: CHOICE, routine: CHOICE, synthesis: { ...CHOICE, memoryGb: 9.6 } },
      stretch: CHOICE,
    },
    reasons: ['This machine has 32.0 GB of memory.'],
    left: [{ server: 'Ollama', model: 'big:70b', why: 'needs 48.1 GB' }],
  },
};

const SECRET = { name: 'lab-key', kept: 'file' as const, setAt: NOW, usedBy: ['lab'] };
const BACKUP = {
  name: 'daily-1778374800000.sqlite',
  path: '/home/data/backups/daily-1778374800000.sqlite',
  reason: 'daily' as const,
  at: NOW - 9 * 3_600_000,
  bytes: 421_888,
};

const PAUSED = { all: { until: NOW + 5_400_000 }, heavy: null };
const ADMITTED = { job: 8, outcome: 'admitted' as const };

const ANSWERS: Handlers = {
  status: () => ({
    host: { pid: 41, version: '1.0.0', home: '/home/data', model: 'offline (not a real model)' },
    run: { id: 3, version: '1.0.0', pid: 41, startedAt: NOW, stoppedAt: null, end: 'runs' },
    ...{ stalled: null, wedged: [] },
    line: 'Waiting: you are here.',
    paused: { all: null, heavy: null },
    word: { present: false, until: NOW + 3_600_000 },
    gates: [
      {
        id: 'presence',
        open: false,
        blocks: 'heavy',
        code: 'present',
        reason: 'you typed 3 s ago',
      },
      { id: 'power', open: true, blocks: 'none', code: 'mains', reason: 'on mains' },
    ],
    queue: { queued: 2, running: 0, deferred: 0 },
    drafts: { pending: 1 },
  }),
  panel: () => {
    throw new Error('not for the command line');
  },
  why: () => [{ job: 7, code: 'present', reason: 'you typed 3 s ago', forecast: 'in 5 min' }],
  doctor: () => ({
    probes: [{ fact: 'idleSeconds', source: 'X11', value: '3', reason: null }],
    checks: [{ name: 'database', ok: true, detail: 'sound' }],
  }),
  'backup.list': () => [BACKUP],
  'backup.newest': () => ({ backup: BACKUP, fault: null }),
  'backup.make': () => BACKUP,
  'backup.restore': ({ confirm }) => ({
    outcome: confirm ? 'restored' : 'asks',
    backup: BACKUP,
    text: 'This puts the backup of 10 May 03:00 in the place of what Lull holds now.',
    aside: confirm ? '/home/data/set-aside/lull-1.sqlite' : null,
  }),
  'export.make': () => ({ path: '/home/data/exports/lull-1.jsonl', bytes: 2000, rows: 12 }),
  'jobs.list': () => [JOB],
  'jobs.show': ({ id }) => ({
    ...JOB,
    id,
    prompt: 'Read\nthem',
    result: null,
    error: null,
    retryOf: null,
    draft: null,
    events: [{ at: NOW, kind: 'job.admitted', payload: { job: 7 } }],
  }),
  'jobs.add': () => ADMITTED,
  'jobs.cancel': ({ id }) => ({ ...JOB, id, state: 'cancelled' }),
  'jobs.retry': () => ADMITTED,
  'jobs.runNow': ({ id, confirm }) => ({
    outcome: confirm ? 'runs' : 'asks',
    job: id,
    waives: [{ gate: 'presence', code: 'active', reason: 'You are here.' }],
    waits: [{ gate: 'power', code: 'battery', reason: 'On battery.', onBattery: true }],
    text: 'It runs in spite of your presence, until it ends.',
  }),
  'jobs.history': () => [
    {
      ...JOB,
      state: 'done',
      finishedAt: NOW,
      waitedBecause: 'you were here (2 h 50 min)',
      waitedMs: 10_200_000,
      yields: [
        { at: NOW - 9_000, cause: 'returned', text: 'you came back', tookMs: 900, freeMs: 4_000 },
        { at: NOW - 5_000, cause: 'returned', text: 'you came back', tookMs: null, freeMs: null },
      ],
      ranMs: 61_000,
      loads: 2,
    },
  ],
  'tide.day': () => ({
    from: NOW - 43_200_000,
    to: NOW + 43_200_000,
    present: [{ from: NOW - 7_200_000, to: NOW }],
    lulls: [{ from: NOW - 43_200_000, to: NOW - 7_200_000 }],
    ran: [{ job: 7, from: NOW - 20_000_000, to: NOW - 19_000_000, heavy: true }],
    waiting: 2,
    next: { from: NOW + 7_200_000, spreadMs: 1_500_000 },
    text: 'Today: you were here 2 h.',
  }),
  'presence.override': ({ say, forSeconds }) =>
    say === 'clear'
      ? null
      : { present: say === 'present', until: forSeconds ? NOW + forSeconds * 1000 : null },
  pause: () => PAUSED,
  resume: () => ({ all: null, heavy: null }),
  'stock.import': ({ dryRun }) => ({
    dryRun,
    format: 'plain CSV',
    added: 1,
    changed: 0,
    unchanged: 0,
    rows: [{ sku: 'A', change: 'added', detail: '3 on hand' }],
    skipped: [{ row: 9, sku: null, why: 'no quantity' }],
    notes: [],
  }),
  'stock.list': () => [PRODUCT],
  'stock.adjust': () => ({ outcome: 'applied', onHand: 8 }),
  'watch.add': () => CONDITION,
  'watch.remove': () => CONDITION,
  'watch.list': () => [CONDITION],
  'schedule.add': () => SCHEDULE,
  'schedule.edit': () => SCHEDULE,
  'schedule.enable': () => SCHEDULE,
  'schedule.disable': () => ({ ...SCHEDULE, enabled: false }),
  'schedule.list': () => [SCHEDULE],
  'schedule.preview': () => [{ at: NOW, local: '2026-05-11 07:00', note: 'clocks go forward' }],
  'cycles.add': ({ path, consent }) => ({
    outcome: consent ? 'added' : 'asks',
    path,
    says: ['A cycle starts the agent of site on this machine.'],
    roster: { daily: ['docs-agent', 'audit-agent'], weekly: [] },
  }),
  'cycles.remove': ({ path }) => ({ path }),
  'cycles.list': () => CYCLES,
  'cycles.runNow': () => ({ job: 9 }),
  'cycles.plan': () => ({
    agents: [
      { agent: 'docs-agent', turn: null, out: 'locked', lockedUntil: NOW + 3_600_000 },
      { agent: 'audit-agent', turn: 1, out: null, lockedUntil: null },
    ],
    lockFault: null,
  }),
  'cycles.health': () => ({
    kind: 'relays',
    ok: true,
    said: null,
    relays: [
      { relay: 'wss://one.example', ok: true, ms: 31, error: null },
      { relay: 'wss://two.example', ok: false, ms: null, error: 'connection refused' },
    ],
  }),
  'drafts.list': () => [DRAFT],
  'drafts.show': ({ id }) => ({
    ...DRAFT,
    id,
    model: 'offline',
    decidedAt: null,
    appliedAt: null,
    error: null,
    supersededBy: null,
    lines: [
      {
        sku: 'SKU-VANILLA',
        name: 'Vanilla',
        unit: 'tubs',
        quantity: 6,
        unitCostCents: 250,
        totalCents: 1500,
      },
    ],
    changes: null,
    text: '',
    notes: '',
    provenance: 'The figures come from the stock list.',
    effects: ['+ orders/3.csv  1 line'],
    steps: { count: 4, millis: 2_000, tools: ['list_stock', 'draft_order'] },
    transcript: [],
  }),
  'drafts.approve': () => ({ outcome: 'applied', files: ['orders/3.csv', 'orders/3.md'] }),
  'drafts.dismiss': ({ id }) => ({ ...DRAFT, id, state: 'dismissed' }),
  'drafts.snooze': ({ id, until }) => ({
    ...DRAFT,
    id,
    snoozed: { until: until === 'next-lull' ? null : NOW + 3_600_000 },
  }),
  'drafts.wake': ({ id }) => ({ ...DRAFT, id }),
  'drafts.restore': ({ id }) => ({ ...DRAFT, id }),
  'models.show': () => MODELS,
  'models.discover': () => FOUND,
  'models.adopt': () => ({ ...MODELS, chosen: true }),
  'notices.acknowledge': () => ({}),
  metrics: () => [
    {
      name: 'lull_up',
      type: 'gauge',
      help: 'Whether it runs.',
      samples: [{ labels: {}, value: 1 }],
    },
  ],
  'vitals.series': ({ name }) => ({ name, help: 'jobs', grain: 'raw', points: [] }),
  'runs.list': () => [],
  'secrets.list': () => [SECRET],
  'secrets.set': ({ name }) => ({ ...SECRET, name }),
  'secrets.remove': () => SECRET,
  'config.get': ({ key }) => (key ? 20 : { power: { floorPercent: 20 } }),
  'config.set': ({ value }) => value,
};

export interface Ran {
  code: number;
  out: string;
  err: string;
  /** What reached the rooms, as given (before defaults). */
  asked: { command: string; input: unknown }[];
  /** How the rooms were opened, and whether they were closed. */
  opened: string[];
  closed: number;
  urls: string[];
}

export interface RunOptions {
  handlers?: Partial<Handlers>;
  deps?: Partial<CliDeps>;
  width?: number | null;
  clock?: Clock;
  home?: string;
}

/** Runs one command line over rooms that give canned answers, with no host. */
export async function lull(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const ran: Ran = { code: -1, out: '', err: '', asked: [], opened: [], closed: 0, urls: [] };
  const rooms: Dispatch = dispatcher({ ...ANSWERS, ...options.handlers });
  ran.code = await runCli(args, {
    env: { LULL_HOME: options.home ?? temporaryFolder() },
    cwd: '/work-dir',
    clock: options.clock ?? new FakeClock(NOW),
    terminal: {
      out: (text) => {
        ran.out += text;
      },
      err: (text) => {
        ran.err += text;
      },
      width: options.width ?? null,
    },
    openRooms: async (_home: Home, mode) => {
      ran.opened.push(mode);
      return {
        dispatch: (command, input) => {
          ran.asked.push({ command, input });
          return rooms(command, input);
        },
        close: async () => {
          ran.closed++;
        },
      };
    },
    startHost: async () => 0,
    openUrl: (url) => void ran.urls.push(url),
    readSecret: async () => 'a key from nowhere',
    ...options.deps,
  });
  return ran;
}

/** The one command that a line came to, as `[name, input]`. */
export async function asked(args: readonly string[]): Promise<[CommandName, unknown]> {
  const ran = await lull(args);
  if (ran.code !== 0) throw new Error(`exit ${ran.code}: ${ran.err}`);
  const [only, ...more] = ran.asked;
  if (!only || more.length) throw new Error(`${ran.asked.length} commands`);
  return [only.command as CommandName, only.input];
}
