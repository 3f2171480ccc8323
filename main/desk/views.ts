import type { Config } from '../base/config-schema.ts';
import { HEAVY_TIERS } from '../base/config-schema.ts';
import { LullError } from '../base/errors.ts';
import type { DraftsTable } from '../base/store/drafts.ts';
import type { EventsTable } from '../base/store/events.ts';
import { TERMINAL_STATES } from '../base/store/job-states.ts';
import type { NoticesTable } from '../base/store/notices.ts';
import type { Run } from '../base/store/runs.ts';
import type { Gates } from '../engine/gates/look.ts';
import { type RunNow, runNow } from '../engine/gates/run-now.ts';
import { nextLull, statusLine } from '../engine/gates/status-line.ts';
import { expectedStart, explainWaiting, type Why } from '../engine/gates/why.ts';
import type { Schedules } from '../engine/producers/clock/schedules.ts';
import type { Conditions } from '../engine/producers/conditions/conditions.ts';
import type { Job } from '../engine/queue/job.ts';
import type { Queue } from '../engine/queue/queue.ts';
import { timeLeft } from '../engine/supervisor/pace.ts';
import type { Flight } from '../engine/supervisor/run-job.ts';
import { type Health, healthLine } from '../engine/vitals/health.ts';
import type { Stock } from '../work/shop/stock.ts';
import type { Past } from './past.ts';
import { telling } from './telling.ts';
import { type JobDetail, type JobRow, jobDetail, jobRow } from './view-model/job.ts';
import { PANEL_ROWS, type PanelView, panelView } from './view-model/panel.ts';
import { type StatusInput, type StatusView, statusView } from './view-model/status.ts';

export interface ViewParts {
  readonly now: () => number;
  readonly config: () => Config;
  readonly queue: Queue;
  readonly gates: Gates;
  readonly pauses: { get(): StatusInput['pauses'] };
  readonly past: Past;
  readonly drafts: DraftsTable;
  readonly events: EventsTable;
  readonly notices: NoticesTable;
  readonly schedules: Schedules;
  readonly conditions: Conditions;
  readonly stock: Stock;
  readonly memory: () => PanelView['memory'];
  /** What runs in this process; nothing does where no host is. */
  readonly flights: () => readonly Flight[];
  readonly host: () => StatusInput['host'];
  readonly health: () => Health;
  readonly latestRun: () => Run | null;
}

export interface Views {
  status(): StatusView;
  panel(): PanelView;
  why(job?: number): (Why & { job: number })[];
  jobs(filter: Parameters<Queue['list']>[0]): JobRow[];
  /** Throws LullError not_found. */
  job(id: number): JobDetail;
  /** What running it now would waive. Throws LullError where it does not wait. */
  runNow(id: number, onBattery: boolean): RunNow;
}

/** Waiting jobs that are explained; those behind them are counted. */
const EXPLAINED = 500;
const FAR_BEHIND: Why = {
  code: 'behind',
  reason: `After ${EXPLAINED} others or more.`,
  forecast: null,
};

/** What the owner sees, read when it is asked for: one look at the facts, one reading of the queue. */
export function openViews(parts: ViewParts): Views {
  const { queue } = parts;

  function glance() {
    const flights = parts.flights();
    const worker = flights.find((flight) => flight.claim.job.tier !== 'pinned');
    const running = queue.running();
    const seen = parts.gates.look(parts.now(), worker ? { job: worker.claim.job } : null);
    const look = { ...seen, usual: parts.past.usual() };
    const waiting = queue.waiting(EXPLAINED);
    const deferred = queue.list({ state: 'deferred', limit: EXPLAINED });
    const whys = explainWaiting([...waiting, ...deferred], running, look);
    const reasons = new Map(whys.map((why) => [why.job, why]));
    const counts = queue.counts();
    // What is behind those explained is heavy: it has the later turn.
    const light = waiting.filter((job) => !HEAVY_TIERS.has(job.tier)).length;
    const line = statusLine({
      look,
      waiting: { heavy: counts.queued - light, light, deferred: counts.deferred },
      running: running.map((job) => job.title),
    });
    const host = parts.host();
    const health = parts.health();
    const status: StatusInput = {
      ...{ host, health, now: look.input.now, run: parts.latestRun() },
      line: host ? (healthLine(health) ?? line.line) : 'Lull is not running',
      pauses: parts.pauses.get(),
      word: look.input.override,
      verdicts: look.verdicts,
      queue: counts,
      pendingDrafts: parts.drafts.counts().pending - parts.drafts.snoozes.count(),
    };
    return { look, running, waiting, deferred, whys, reasons, status, detail: line.detail };
  }

  function flightOf(job: Job) {
    return parts.flights().find((flight) => flight.claim.id === job.id);
  }

  const progressOf = (job: Job) => flightOf(job)?.progress ?? null;

  return {
    status: () => statusView(glance().status),

    panel() {
      const seen = glance();
      const recent = TERMINAL_STATES.flatMap((state) => queue.list({ state, limit: PANEL_ROWS }))
        .sort((a, b) => (b.finishedAt ?? 0) - (a.finishedAt ?? 0) || b.id - a.id)
        .slice(0, PANEL_ROWS);
      return panelView({
        status: seen.status,
        detail: seen.detail,
        nextLull: nextLull(seen.look),
        running: seen.running.map((job) => {
          const pace = flightOf(job)?.pace ?? null;
          return { job, progress: progressOf(job), leftMs: pace && timeLeft(pace) };
        }),
        waiting: [...seen.waiting, ...seen.deferred].flatMap((job) => {
          const why = seen.reasons.get(job.id);
          return why ? [{ job, why, expected: expectedStart(job, seen.look) }] : [];
        }),
        recent,
        drafts: parts.drafts.list({ snoozed: false, limit: PANEL_ROWS }),
        schedules: parts.schedules.list(),
        conditions: parts.conditions.list(),
        stock: parts.stock.list('', PANEL_ROWS),
        stockTotal: parts.stock.count(),
        notices: parts.notices.open(PANEL_ROWS),
        telling: telling(parts.config(), parts.now()),
        memory: parts.memory(),
        tide: parts.past.tide(),
        currency: parts.config().currency,
      });
    },

    why(id) {
      const { whys } = glance();
      if (id === undefined) return whys;
      const found = whys.filter((why) => why.job === id);
      if (found.length > 0) return found;
      waitingOr409(id);
      return [{ job: id, ...FAR_BEHIND }];
    },

    jobs(filter) {
      const rows = queue.list(filter);
      const waits = rows.some((job) => job.state === 'queued' || job.state === 'deferred');
      const reasons = waits ? glance().reasons : new Map<number, Why>();
      return rows.map((job) =>
        jobRow(job, { progress: progressOf(job), why: reasons.get(job.id) ?? null }),
      );
    },

    job(id) {
      const job = jobOr404(id);
      const waits = job.state === 'queued' || job.state === 'deferred';
      return jobDetail(job, {
        prompt: promptOf(job.payload),
        draft: parts.drafts.ofJob(id).at(-1)?.id ?? null,
        events: parts.events.forJob(id).map(({ at, kind, payload }) => ({ at, kind, payload })),
        progress: progressOf(job),
        why: waits ? (glance().reasons.get(id) ?? null) : null,
      });
    },

    runNow: (id, onBattery) => runNow(waitingOr409(id), glance().look, onBattery),
  };

  function waitingOr409(id: number): Job {
    const job = jobOr404(id);
    if (job.state === 'queued' || job.state === 'deferred') return job;
    const hint = job.finishedAt === null ? undefined : `do it again: lull jobs retry ${id}`;
    throw new LullError('conflict', `job ${id} does not wait: it is ${job.state}`, hint);
  }

  function jobOr404(id: number): Job {
    const job = queue.get(id);
    if (!job) throw new LullError('not_found', `there is no job ${id}`, 'see: lull jobs list');
    return job;
  }
}

/** What was asked, where the kind of work carries words. */
function promptOf(payload: unknown): string | null {
  const words = payload as { prompt?: unknown; text?: unknown } | null;
  if (typeof words?.prompt === 'string') return words.prompt;
  return typeof words?.text === 'string' ? words.text : null;
}
