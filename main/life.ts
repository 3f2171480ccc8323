import type { Config } from './base/config-schema.ts';
import type { Failure } from './base/errors.ts';
import type { Home } from './base/home.ts';
import type { Log } from './base/log.ts';
import type { SoundStore } from './base/store/open-sound.ts';
import { runsTable } from './base/store/runs.ts';
import { VERSION } from './base/version.ts';
import { furnish, type Rooms } from './compose.ts';
import { reportInterrupted } from './desk/interrupted.ts';
import { publisher } from './desk/publisher.ts';
import { restoredText } from './desk/restored.ts';
import type { Job } from './engine/queue/job.ts';
import type { Kind } from './engine/supervisor/handler.ts';
import { beginRun } from './engine/supervisor/ledger.ts';
import { sleepKeeper } from './engine/supervisor/sleep-keeper.ts';
import type { Supervisor } from './engine/supervisor/supervisor.ts';
import type { ProcessPulse } from './engine/vitals/pulse.ts';
import { cutOffStint, witness } from './engine/vitals/witness.ts';
import { type Workers, workers } from './engine/workers/in-workers.ts';
import type { WorkerPort } from './engine/workers/port.ts';
import type { Ground } from './ground.ts';
import { workKinds } from './kinds.ts';
import { dailyBackup, superviseRooms } from './supervise.ts';
import type { Hello } from './surfaces/contract.ts';
import { changesNothing, type Dispatch, type Subscribe } from './surfaces/dispatch.ts';
import { vitalSigns } from './vital-signs.ts';
import { SESSION, sessionShelf } from './work/agent/session-shelf.ts';
import { stockShelves } from './work/shop/stock-shelf.ts';

/** What a life stands on: an open store of which it is the one writer, and its surroundings. */
export interface LifeGround extends Omit<Ground, 'onFault' | 'onModelChange'> {
  readonly log: Log;
  /** What had to be done to open the store, for the owner to be told. */
  readonly found?: Omit<SoundStore, 'store'>;
  /** The database has turned out to be damaged. */
  readonly onDamage?: () => void;
  /** How worker processes are had; without it every kind runs in this process. */
  readonly workerPort?: WorkerPort;
  /** What the process says of itself; left out where the process is not this life's own. */
  readonly pulse?: ProcessPulse;
}

/** The rooms at work over one store, from the first claim until they are stopped. */
export interface Life {
  readonly hello: Hello;
  readonly dispatch: Dispatch;
  readonly subscribe: Subscribe;
  /** Something outside changed (an event of the system): the facts are read again soon. */
  wake(): void;
  /** Other settings are in force, or (with a problem) the file cannot be read and the last ones stay. */
  reconfigured(config: Config, problem: Failure | null): void;
  /** Lets what runs yield and closes the run cleanly; the store stays open. To be called once. */
  stop(): Promise<void>;
  /** Time is short: what runs has this long to come to a good end, milliseconds. */
  hurry(graceMs: number): void;
}

/**
 * Settles what an earlier life left, and sets to work. Throws what the database throws.
 */
export function openLife(ground: LifeGround): Life {
  const { home, clock, store, facts, log, config } = ground;
  let supervisor: Supervisor | null = null;
  const wake = () => supervisor?.wake();
  let modelsChanged = wake;
  const rooms = furnish(
    {
      ...ground,
      onFault: (command, error) => log.error({ command, error }, 'a command failed'),
      onModelChange: () => modelsChanged(),
    },
    () => supervisor && { ...supervisor, pid: process.pid, vitals: signs.vitals },
  );
  const signs = vitalSigns(rooms, ground, () => publish.changed());

  const runs = runsTable(store.db);
  tellFound(rooms, ground.found, clock.now());
  for (const { id, approval } of rooms.drafts.resumeApproved()) {
    log.info({ draft: id, outcome: approval.outcome }, 'finished what a crash left approved');
  }
  followRoster(rooms, clock.now());
  rooms.cycles.recover();
  const processes = workers({
    ...{ port: ground.workerPort ?? null, clock, config, log, home: home.dir },
  });
  const kinds = kindsOf(rooms, home, processes).set(signs.kind.name, signs.kind);
  const seenAt = rooms.record.cutOffAt();
  for (const job of rooms.queue.running()) rooms.record.recordStint(cutOffStint(job, seenAt));
  const begun = beginRun(
    {
      ...{ store, runs, queue: rooms.queue },
      isIdempotent: (kind) => kinds.get(kind)?.idempotent ?? false,
      report: (sweep, now) =>
        void reportInterrupted(
          { drafts: rooms.draftRows, notices: rooms.notices, zone: rooms.zone },
          sweep,
          now,
        ),
    },
    { version: VERSION, pid: process.pid },
    clock.now(),
  );
  log.info({ run: begun.runId, unclean: begun.unclean, home: home.dir }, 'started');

  const publish = publisher(clock, rooms.views.panel, (error) =>
    log.error({ error }, 'a view could not be read'),
  );
  modelsChanged = () => {
    wake();
    publish.changed();
  };
  const sleep = sleepKeeper(ground.sleepHold, clock);
  const seen = witness({
    ...{ gates: rooms.gates, record: rooms.record, sleep, log },
    onReturn(absence) {
      const text = config().notices.digest ? rooms.past.digest(absence) : null;
      if (text === null) return;
      rooms.notices.replace({ kind: 'digest', text }, absence.until);
      publish.changed();
    },
  });
  const backup = ground.replace && dailyBackup(rooms, ground);
  supervisor = superviseRooms({
    rooms,
    store,
    clock,
    log,
    kinds,
    begun,
    seen,
    vitals: signs.vitals,
    changed: publish.changed,
    onDamage: () => ground.onDamage?.(),
    backup,
  });
  const unwatch = facts.watch(wake);
  supervisor.start();
  void rooms.models.loader.observe().catch(() => {});
  void rooms.secrets.sealOpen();

  /** A result that could not be stored to the last is left to the next start, like a crash; so is this. */
  function endRun(): void {
    const { runId } = begun;
    try {
      if (rooms.queue.running().length === 0) runs.stopClean(runId, clock.now());
      log.info({ run: runId }, 'stopped');
    } catch (error) {
      log.error({ run: runId, error: String(error) }, 'the end of the run could not be recorded');
    }
  }

  return {
    wake,
    hello: { event: 'hello', pid: process.pid, version: VERSION },
    async dispatch(command, input) {
      const reply = await rooms.dispatch(command, input);
      if (!reply.ok && reply.code === 'database_damaged') ground.onDamage?.();
      if (!changesNothing(command)) {
        publish.changed();
        wake();
      }
      return reply;
    },
    subscribe: (listener) => publish.follow((changed) => listener({ event: 'panel', changed })),
    reconfigured(config, problem) {
      log.configure(config.log);
      if (problem)
        rooms.notices.raise({ kind: 'config-broken', message: problem.message }, clock.now());
      else rooms.notices.settle({ kind: 'config-broken' }, clock.now());
      followRoster(rooms, clock.now());
      rooms.queue.reviveDeferred();
      wake();
    },
    hurry: (graceMs) => supervisor?.hurry(graceMs),
    async stop() {
      try {
        sleep.release();
        await supervisor?.stop();
        await backup?.settled();
        await processes.close();
        seen.stop();
        signs.vitals.stop();
        await rooms.drafts.idle();
        await rooms.cycles.idle();
        await rooms.models.close();
        endRun();
      } finally {
        unwatch();
        publish.stop();
      }
    },
  };
}

/** The cadences follow the settings; where one cannot, the owner is told. */
function followRoster(rooms: Rooms, now: number): void {
  const [problem] = rooms.cycles.follow();
  if (problem === undefined) rooms.notices.settle({ kind: 'cadence-problem' }, now);
  else rooms.notices.raise({ kind: 'cadence-problem', message: problem }, now);
}

/** A restore is told in the database it has brought: whoever opens the panel next reads of it. */
function tellFound(rooms: Rooms, found: LifeGround['found'], now: number): void {
  if (found?.restored && found.restored.fault !== null) {
    rooms.notices.replace(
      { kind: 'restored', text: restoredText(found.restored, rooms.zone) },
      now,
    );
  }
  if (found?.lostLog) rooms.notices.raise({ kind: 'changes-lost', log: found.lostLog }, now);
}

function kindsOf(rooms: Rooms, home: Home, processes: Workers): Map<string, Kind> {
  const { stock } = rooms;
  const history = (session: string) => rooms.transcripts.sessionHistory(session, 4);
  const shelves = ({ session, subject }: Job) => ({
    [SESSION]: sessionShelf(() => (session === null ? [] : history(session))),
    ...stockShelves(stock, subject),
  });
  const kinds = workKinds({ stock, history, home: home.dir });
  return new Map<string, Kind>([
    ...kinds.map((kind) => [kind.name, processes.around({ ...kind, shelves })] as const),
    [rooms.cycles.kind.name, rooms.cycles.kind],
  ]);
}
