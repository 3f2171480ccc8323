import type { Invariant } from '../invariant.ts';
import { isHeavy, oracleOf } from '../oracle.ts';
import type { JobRow, Rows } from '../rows.ts';
import { HOUR, MINUTE, SECOND } from '../timeline.ts';
import type { World } from '../world.ts';

/** The look every 2 s, the grace of 10 s, 10 s more for a run that does not listen, and some. */
const GIVES_WAY_WITHIN = 40 * SECOND;
/** The same, and the unloads: 30 s for each of two models, and a server that sticks is not counted. */
const MEMORY_WITHIN = 3 * MINUTE;

/** What jobs may wait, in hours in which nothing speaks against them. */
const MOST_WAIT = { pinned: 1 * HOUR, light: 3 * HOUR, heavy: 8 * HOUR } as const;
type Wait = keyof typeof MOST_WAIT;

/** What must hold while time passes. */
export function runningInvariants(world: World): Invariant[] {
  const oracle = oracleOf(world);
  const against = new Map<number, number>();
  const waited = new Map<number, number>();
  let held = false;
  let presentSince: number | null = null;

  const rowsNow = () => world.hosts.current?.rows ?? null;
  const jobs = (state: JobRow['state']) =>
    [...world.shadow.jobs.values()].filter((job) => job.state === state);
  /** A host that has had the time to look, on a machine that is awake. */
  const isUp = () => {
    const { since, current } = world.hosts;
    return current?.life != null && since !== null && world.time.real - since > MINUTE;
  };

  return [
    {
      name: 'running work gives way',
      onTime() {
        const rows = rowsNow();
        const now = world.time.monotonic;
        if (!rows || !isUp() || world.time.asleep || world.hosts.diskFault) {
          against.clear();
          return;
        }
        const running = jobs('running');
        for (const id of against.keys())
          if (!running.some((job) => job.id === id)) against.delete(id);
        for (const job of running) {
          const why = whyNot(rows, job);
          if (why === null) {
            against.delete(job.id);
            continue;
          }
          const since = against.get(job.id) ?? now;
          against.set(job.id, since);
          if (now - since > GIVES_WAY_WITHIN)
            return `job ${job.id} (${job.tier}) runs on for ${Math.round((now - since) / SECOND)} s although ${why}`;
        }
      },
      onDeath: () => against.clear(),
    },
    {
      name: 'memory is given back',
      // A job may have come and gone between two moments, or a stopped load come to its end.
      onEffect(effect) {
        if (effect.kind === 'loaded') presentSince = null;
      },
      onTime() {
        const rows = rowsNow();
        const [server] = world.servers;
        if (!rows || !server || !isUp() || !isCalm() || world.time.asleep) {
          presentSince = null;
          return;
        }
        const working = jobs('running').some(({ tier }) => tier !== 'pinned');
        if (!oracle.present(rows) || working) {
          presentSince = null;
          return;
        }
        presentSince ??= world.time.real;
        // What light work loaded since then stays for a while; heavy models have no business there.
        const { tiers } = world.hosts.config.models;
        const light = [tiers.pinned?.model, tiers.routine?.model];
        const heavy = [tiers.synthesis?.model, tiers.stretch?.model].filter(
          (model) => !light.includes(model),
        );
        const left = server
          .inMemory()
          .find(({ by, model }) => by === 'lull' && heavy.includes(model.name));
        if (left && world.time.real - presentSince > MEMORY_WITHIN)
          return `${left.model.name} is in memory ${MEMORY_WITHIN / MINUTE} minutes after the owner came`;
      },
      onDeath: () => {
        presentSince = null;
      },
    },
    {
      name: 'system sleep is held off for heavy work alone',
      onEffect(effect) {
        if (effect.kind === 'release') held = false;
        if (effect.kind !== 'hold') return;
        held = true;
        if (!jobs('running').some(isHeavy)) return 'sleep is held off, and no heavy job runs';
        if (oracle.onBattery()) return 'sleep is held off on battery';
      },
      onTime() {
        const mayHold = jobs('running').some(isHeavy);
        if (
          held &&
          !mayHold &&
          isUp() &&
          world.machine.holdUntil > world.time.monotonic + 14.5 * MINUTE
        )
          return 'sleep is held off anew after heavy work has ended';
      },
      onDeath: () => {
        held = false;
      },
    },
    {
      name: 'every queued job runs in the end',
      onTime(ms) {
        const rows = rowsNow();
        if (
          !rows ||
          !isUp() ||
          !isCalm() ||
          world.time.asleep ||
          oracle.pausedAll(rows) ||
          oracle.floor()
        )
          return;
        for (const job of world.shadow.jobs.values()) {
          const waits =
            job.state === 'queued' || (job.state === 'deferred' && job.revive_at === null);
          if (!waits) {
            waited.delete(job.id);
            continue;
          }
          if (isHeavy(job) && oracle.heavy(rows, job)) continue;
          const kind: Wait = job.tier === 'pinned' ? 'pinned' : isHeavy(job) ? 'heavy' : 'light';
          const sum = (waited.get(job.id) ?? 0) + ms;
          waited.set(job.id, sum);
          if (sum > MOST_WAIT[kind])
            return `job ${job.id} (${job.tier}) has waited ${MOST_WAIT[kind] / HOUR} h in which nothing spoke against it: ${job.reason_code ?? job.state}`;
        }
      },
    },
  ];

  function whyNot(rows: Rows, job: JobRow): string | null {
    const floor = oracle.floor();
    if (floor) return floor;
    if (oracle.pausedAll(rows)) return 'everything is paused';
    return isHeavy(job) ? oracle.heavy(rows, job) : null;
  }

  /** Nothing is wrong with the disk, the clock or the servers, and no other program uses a model. */
  function isCalm(): boolean {
    return (
      world.hosts.diskFault === null &&
      world.time.wallError === 0 &&
      world.servers.every(
        ({ mood, resident }) =>
          mood.faults.length === 0 &&
          !mood.stalls &&
          mood.sticky === 0 &&
          mood.lag === 0 &&
          mood.tells === 1 &&
          mood.slowness <= 2 &&
          [...resident.values()].every(
            ({ by, sticksUntil }) => by === 'lull' && sticksUntil <= world.time.monotonic,
          ),
      )
    );
  }
}
