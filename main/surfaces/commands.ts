import { type ConfigChanges, getConfigValue } from '../base/config.ts';
import type { Config } from '../base/config-schema.ts';
import { LullError, type Result } from '../base/errors.ts';
import { nextMorning } from '../base/next-morning.ts';
import type { NoticesTable } from '../base/store/notices.ts';
import type { PausesTable } from '../base/store/pauses.ts';
import type { PresenceWordTable } from '../base/store/presence-word.ts';
import type { Backups } from '../desk/backups.ts';
import type { DoctorView } from '../desk/doctor.ts';
import type { Drafts } from '../desk/drafts.ts';
import type { Past } from '../desk/past.ts';
import { foundView, modelsView } from '../desk/view-model/models.ts';
import { conditionRow, productRow, scheduleRow } from '../desk/view-model/producers.ts';
import type { Views } from '../desk/views.ts';
import type { Models } from '../engine/models/models.ts';
import type { ModelSearch } from '../engine/models/search.ts';
import type { Schedules } from '../engine/producers/clock/schedules.ts';
import type { Conditions } from '../engine/producers/conditions/conditions.ts';
import type { AddTask } from '../engine/producers/one-off.ts';
import type { Queue } from '../engine/queue/queue.ts';
import type { Secrets } from '../engine/secrets/secrets.ts';
import type { ImportReport } from '../work/shop/import/apply.ts';
import type { Stock } from '../work/shop/stock.ts';
import { backupHandlers } from './backup-commands.ts';
import type { ParsedInput } from './contract.ts';
import { type CycleCommandParts, cycleHandlers, ofARoster } from './cycle-commands.ts';
import type { Handlers } from './dispatch.ts';
import { must } from './must.ts';
import { type VitalsCommandParts, vitalsHandlers } from './vitals-commands.ts';

/** What the commands of the contract are carried out on. */
export interface CommandParts extends CycleCommandParts, VitalsCommandParts {
  readonly now: () => number;
  readonly config: () => Config;
  readonly setConfig: (changes: ConfigChanges) => Result<Config>;
  readonly queue: Queue;
  readonly views: Views;
  readonly drafts: Drafts;
  readonly schedules: Schedules;
  readonly conditions: Conditions;
  readonly stock: Stock;
  readonly secrets: Secrets;
  readonly pauses: PausesTable;
  readonly word: PresenceWordTable;
  readonly past: Past;
  readonly models: Pick<Models, 'status'>;
  readonly search: ModelSearch;
  readonly notices: NoticesTable;
  readonly addTask: AddTask;
  readonly backups: Backups;
  readonly importStock: (input: ParsedInput<'stock.import'>) => Result<ImportReport>;
  readonly doctor: () => Promise<DoctorView>;
  /** Carries an asked cancel out where the job runs in this process. */
  readonly cancelRunning: (job: number) => void;
}

/** Every command of the contract, each as one call on the room it belongs to. */
export function commandHandlers(parts: CommandParts): Handlers {
  const { queue, views, drafts, schedules, conditions, stock, pauses } = parts;

  function paused() {
    const { all, heavy } = pauses.get();
    return { all: all && { until: all.until }, heavy: heavy && { until: heavy.until } };
  }

  /** The end of what is said for a time; null: until it is taken back. */
  function endOf({
    forSeconds,
    until,
  }: {
    forSeconds?: number | undefined;
    until?: number | 'morning' | undefined;
  }) {
    const now = parts.now();
    if (until === 'morning') return nextMorning(now).at;
    const end = until ?? (forSeconds === undefined ? null : now + forSeconds * 1000);
    if (end === null || end > now) return end;
    throw new LullError('invalid', 'until: that time has passed', 'give a time to come');
  }

  function watched(): Set<string> {
    return new Set(conditions.list().flatMap((one) => (one.enabled ? [one.sku] : [])));
  }

  return {
    ...backupHandlers(parts.backups),
    ...cycleHandlers(parts),
    status: () => views.status(),
    panel: () => views.panel(),
    why: ({ job }) => views.why(job),
    doctor: () => parts.doctor(),

    'jobs.list': ({ state, before, limit }) =>
      views.jobs({ limit, ...(state && { state }), ...(before && { before }) }),
    'jobs.show': ({ id }) => views.job(id),
    'jobs.add': (task) => must(parts.addTask(task)),
    'jobs.cancel': ({ id }) => {
      const done = queue.cancel(id);
      if (done === 'ended') {
        throw new LullError('conflict', `job ${id} has ended: it is ${queue.get(id)?.state}`);
      }
      if (done === 'asked') parts.cancelRunning(id);
      return views.job(id);
    },
    'jobs.retry': ({ id }) => ({ job: queue.retry(id).id, outcome: 'admitted' }),

    'jobs.runNow': ({ id, confirm, onBattery }) => {
      const { waiver, ...plan } = views.runNow(id, onBattery);
      if (confirm) queue.waive(id, { ...waiver, at: parts.now() });
      return { outcome: confirm ? 'runs' : 'asks', job: id, ...plan };
    },
    'jobs.history': ({ before, limit }) => parts.past.history({ limit, ...(before && { before }) }),
    'tide.day': ({ day }) => parts.past.tide(day),

    pause: ({ scope, ...span }) => {
      pauses.set(scope, parts.now(), endOf(span));
      return paused();
    },
    resume: ({ scope }) => {
      for (const one of scope ? [scope] : (['all', 'heavy'] as const)) pauses.clear(one);
      return paused();
    },

    'presence.override': ({ say, ...span }) => {
      if (say === 'clear') {
        parts.word.clear();
        return null;
      }
      const word = { present: say === 'present', until: endOf(span) };
      parts.word.set({ ...word, since: parts.now() });
      return word;
    },

    'stock.import': (input) => must(parts.importStock(input)),
    'stock.list': ({ search, after, limit }) => {
      const skus = watched();
      return stock
        .list(after ?? '', limit, search)
        .map((one) => productRow(one, skus.has(one.sku)));
    },
    'stock.adjust': (adjustment) => must(stock.adjust(adjustment)),

    'watch.add': (watch) => conditionRow(must(conditions.watch(watch))),
    'watch.remove': ({ id }) => conditionRow(must(conditions.unwatch(id))),
    'watch.list': () => conditions.list().map(conditionRow),

    'schedule.add': (spec) => scheduleRow(must(schedules.add(spec))),
    'schedule.edit': ({ id, prompt, tier, rule, missed }) => {
      ofARoster(id);
      return scheduleRow(
        must(
          schedules.edit(id, {
            ...(prompt !== undefined && { prompt }),
            ...(tier !== undefined && { tier }),
            ...(rule && { rule }),
            ...(missed && { missed }),
          }),
        ),
      );
    },
    'schedule.enable': ({ id }) => {
      ofARoster(id);
      return scheduleRow(must(schedules.enable(id)));
    },
    'schedule.disable': ({ id }) => {
      ofARoster(id);
      return scheduleRow(must(schedules.disable(id)));
    },
    'schedule.list': () => schedules.list().map(scheduleRow),
    'schedule.preview': ({ id, rule, count }) => {
      if (id !== undefined) return must(schedules.preview({ id }, count));
      if (rule) return must(schedules.preview({ rule }, count));
      throw new LullError('invalid', 'nothing to preview', 'give a schedule or a rule');
    },

    'drafts.list': (page) => drafts.list(page),
    'drafts.show': ({ id }) => must(drafts.show(id)),
    'drafts.approve': ({ id, confirm }) => {
      const approval = must(drafts.approve(id, confirm));
      return approval.outcome === 'underway' ? approval.end : approval;
    },
    'drafts.dismiss': ({ id }) => must(drafts.dismiss(id)),
    'drafts.snooze': ({ id, until = 'morning', forSeconds }) => {
      if (forSeconds !== undefined) return must(drafts.snooze(id, endOf({ forSeconds })));
      return must(drafts.snooze(id, until === 'next-lull' ? null : endOf({ until })));
    },
    'drafts.wake': ({ id }) => must(drafts.wake(id)),
    'drafts.restore': ({ id }) => must(drafts.restore(id)),
    'notices.acknowledge': ({ id }) => {
      if (!parts.notices.acknowledge(id, parts.now())) {
        throw new LullError('not_found', `there is no open notice ${id}`);
      }
      return {};
    },

    'models.show': ({ since }) => modelsView(parts.models.status(since)),
    'models.discover': async () => foundView(await parts.search.discover()),
    'models.adopt': ({ memoryGb }) => {
      must(parts.search.adopt(memoryGb));
      return modelsView(parts.models.status(0));
    },
    'secrets.list': () => must(parts.secrets.list()),
    'secrets.set': async ({ name, value }) => {
      const row = must(await parts.secrets.set(name, value));
      queue.reviveDeferred(); // what waited for a key may go on
      return row;
    },
    'secrets.remove': ({ name }) => must(parts.secrets.remove(name)),

    ...vitalsHandlers(parts),

    'config.get': ({ key }) =>
      key === undefined ? parts.config() : must(getConfigValue(parts.config(), key)),
    'config.set': ({ key, value }) => {
      must(parts.setConfig({ [key]: value }));
      return must(getConfigValue(parts.config(), key));
    },
  };
}
