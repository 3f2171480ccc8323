import type { Invariant } from '../invariant.ts';
import { isHeavy, oracleOf } from '../oracle.ts';
import type { Change, JobRow } from '../rows.ts';
import type { World } from '../world.ts';

/** The jobs that begin to run in a commit. */
export function starts(changes: readonly Change<JobRow>[]): JobRow[] {
  return changes.flatMap(({ before, after }) =>
    after?.state === 'running' && before?.state !== 'running' ? [after] : [],
  );
}

const laneOf = ({ tier }: JobRow) => (tier === 'pinned' ? 'pinned' : 'worker');

/** What must hold at the instant a job begins to run. */
export function startInvariants(world: World): Invariant[] {
  const oracle = oracleOf(world);
  /** Jobs whose first moment had come when they were queued. */
  const letGo = new Set<number>();
  const running = () => [...world.shadow.jobs.values()].filter(({ state }) => state === 'running');

  return [
    {
      name: 'heavy work starts only where it may',
      onCommit({ jobs }, rows) {
        for (const job of starts(jobs).filter(isHeavy)) {
          const why = oracle.heavy(rows, job);
          if (why) return `job ${job.id} (${job.tier}) starts although ${why}`;
        }
      },
    },
    {
      name: 'nothing starts below the floor',
      onCommit({ jobs }) {
        const [job] = starts(jobs);
        const why = job && oracle.floor();
        if (why) return `job ${job.id} starts although ${why}`;
      },
    },
    {
      name: 'nothing starts while all is paused',
      onCommit({ jobs }, rows) {
        const [job] = starts(jobs);
        if (job && oracle.pausedAll(rows)) return `job ${job.id} starts in a pause of everything`;
      },
    },
    {
      name: 'one model in flight',
      onCommit({ jobs }) {
        if (starts(jobs).length === 0) return;
        for (const lane of ['pinned', 'worker']) {
          const mine = running().filter((job) => laneOf(job) === lane);
          if (mine.length > 1)
            return `jobs ${mine.map(({ id }) => id).join(' and ')} run at once in the ${lane} lane`;
        }
      },
      onEffect(effect) {
        if (effect.kind !== 'chat') return;
        const pinned = world.hosts.config.models.tiers.pinned?.model;
        const calls = world.servers
          .flatMap((server) => [...server.calls])
          .filter(({ host, model }) => host.alive && model !== pinned);
        if (calls.length > 1)
          return `${calls.map(({ model }) => model).join(' and ')} answer at once`;
      },
    },
    {
      name: 'a session never runs two',
      onCommit({ jobs }) {
        for (const job of starts(jobs)) {
          if (job.session === null) continue;
          const other = running().find((one) => one.id !== job.id && one.session === job.session);
          if (other) return `jobs ${other.id} and ${job.id} of session ${job.session} run at once`;
        }
      },
    },
    {
      name: 'what ends hosts is not started again',
      onCommit({ jobs }) {
        const job = starts(jobs).find(({ unclean_exits }) => unclean_exits >= 3);
        if (job) return `job ${job.id} starts after ${job.unclean_exits} unclean ends of hosts`;
      },
    },
    {
      name: 'a window is kept',
      onCommit({ jobs }) {
        const now = world.time.wall;
        for (const { after } of jobs)
          if (after?.state === 'queued' && now >= (after.not_before ?? 0)) letGo.add(after.id);
        for (const job of starts(jobs)) {
          if (job.expires_at !== null && now >= job.expires_at)
            return `job ${job.id} starts ${now - job.expires_at} ms after its last moment`;
          // The clock may have been ahead when the job was let go, and be right again.
          if (letGo.has(job.id) || job.waiver || job.claim_no !== 1) continue;
          if (job.not_before !== null && now < job.not_before)
            return `job ${job.id} starts ${job.not_before - now} ms before its first moment`;
        }
      },
    },
  ];
}
