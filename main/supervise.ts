import type { Clock } from './base/clock.ts';
import { toFailure } from './base/errors.ts';
import type { Log } from './base/log.ts';
import type { Store } from './base/store/database.ts';
import type { Rooms } from './compose.ts';
import { approvalDuty } from './desk/approval-duty.ts';
import type { Cause, CauseIdentity } from './desk/notices.ts';
import { settled } from './desk/settled.ts';
import { snoozeDuty } from './desk/snooze-duty.ts';
import { producerDuties } from './engine/producers/duties.ts';
import { type BackupDuty, backupDuty } from './engine/supervisor/backup-duty.ts';
import type { Kind } from './engine/supervisor/handler.ts';
import { lander } from './engine/supervisor/land.ts';
import type { Duty } from './engine/supervisor/ports.ts';
import { createSupervisor, type Supervisor } from './engine/supervisor/supervisor.ts';
import { upkeepDuty } from './engine/supervisor/upkeep.ts';
import type { Vitals } from './engine/vitals/vitals.ts';
import type { Witness } from './engine/vitals/witness.ts';

/** The supervisor over the rooms: what it does at each pass, and whom it tells what has happened. */
export function superviseRooms(parts: {
  rooms: Rooms;
  store: Store;
  clock: Clock;
  log: Log;
  kinds: ReadonlyMap<string, Kind>;
  begun: { runId: number };
  seen: Witness;
  vitals: Vitals;
  changed: () => void;
  onDamage: () => void;
  backup: Duty | undefined;
}): Supervisor {
  const { rooms, store, clock, log, kinds, begun, seen, vitals, changed, backup } = parts;
  const { queue, gates, models, pauses, notices, stock } = rooms;
  const isPaused = (now: number) => {
    const { all } = pauses.get();
    return all !== null && (all.until === null || all.until > now);
  };
  const duties = producerDuties({
    ...{
      store,
      queue,
      events: rooms.events,
      admit: rooms.cycles.admitProduced(rooms.admitBrief),
      paused: isPaused,
    },
    schedules: rooms.scheduleRows,
    conditions: rooms.conditionRows,
    held(tier) {
      const { halted, blockedTiers } = gates.look(clock.now(), null);
      return halted || blockedTiers.has(tier);
    },
    needOf(sku) {
      const line = stock.get(sku);
      if (!line || line.reorderPoint === null) return null;
      return {
        needed: line.needed,
        prompt: `Replenish ${line.name}: ${line.sku} is below its reorder point.`,
      };
    },
    onProblem: (condition, message) =>
      void notices.raise({ kind: 'condition-problem', condition, message }, clock.now()),
  });
  return createSupervisor({
    ...{ clock, log, queue, kinds, runId: begun.runId },
    gates: seen.gates,
    onWatched(verdicts, flights) {
      seen.onWatched(verdicts, flights);
      vitals.onWatched(verdicts, flights);
    },
    config: rooms.config,
    models: models.port,
    duties: [
      ...duties,
      snoozeDuty(rooms.draftRows.snoozes, rooms.record),
      approvalDuty(rooms.drafts),
      upkeepDuty(clock, store, queue),
      ...(backup ? [backup] : []),
    ],
    pauses: {
      clearExpired: (now) => pauses.clearExpired(now).length > 0,
      allPaused: () => isPaused(clock.now()),
      nextEnd() {
        const { all, heavy } = pauses.get();
        const ends = [all, heavy].map((one) => one?.until ?? null).filter((end) => end !== null);
        return ends.length > 0 ? Math.min(...ends) : null;
      },
    },
    land: lander(store, queue, rooms.draftRows, rooms.transcripts),
    onChange: changed,
    onTrouble(failure) {
      const full = failure?.code === 'disk_full';
      const cause = full ? ({ kind: 'disk-full', what: 'nothing new is begun' } as const) : null;
      tell(rooms, log, cause, { kind: 'disk-full' }, clock.now());
      if (failure?.code === 'database_damaged') parts.onDamage();
      changed();
    },
    onStuck(message, code) {
      if (code === 'database_damaged') parts.onDamage();
      const cause = message === null ? null : ({ kind: 'result-held', message } as const);
      tell(rooms, log, cause, { kind: 'result-held' }, clock.now());
    },
    onSettled(job, outcome, askedAt, heldMs) {
      const now = clock.now();
      seen.onSettled(job, outcome, askedAt, { from: now - heldMs, until: now });
      vitals.onSettled(job, outcome, heldMs);
      settled(notices, job, outcome, now);
      if (job.kind === 'cycle') rooms.cycles.tidy();
    },
  });
}

/** The daily backup of a life that may be replaced by one. */
export function dailyBackup(
  rooms: Rooms,
  { clock, log, onDamage }: { clock: Clock; log: Log; onDamage?: () => void },
): BackupDuty {
  return backupDuty({
    clock,
    newestAt: rooms.backups.newestAt,
    make: () => rooms.backups.make('daily'),
    idle: () => rooms.queue.counts().running === 0,
    onMade(error, overdue) {
      const over = { kind: 'backup-failing' } as const;
      if (error === null) return tell(rooms, log, null, over, clock.now());
      const { code, message } = toFailure(error);
      log.warn({ code, message }, 'no backup could be made');
      if (code === 'database_damaged') onDamage?.();
      else if (overdue) tell(rooms, log, { ...over, message }, over, clock.now());
    },
  });
}

/** Tells the owner of a cause, or that it is over. On a full disk not even that may be stored. */
function tell(rooms: Rooms, log: Log, cause: Cause | null, over: CauseIdentity, now: number): void {
  try {
    if (cause) rooms.notices.raise(cause, now);
    else rooms.notices.settle(over, now);
  } catch (error) {
    log.warn({ cause, why: toFailure(error).message }, 'a notice could not be stored');
  }
}
