import type { Invariant } from '../invariant.ts';
import { oracleOf } from '../oracle.ts';
import { MINUTE } from '../timeline.ts';
import type { World } from '../world.ts';

/** Drafts and their jobs, and what approving them sends out. */
export function draftInvariants(world: World): Invariant[] {
  const delivered = new Map<string, { content: string; sealed: boolean }>();

  const oracle = oracleOf(world);
  const approvedAt = new Map<number, number>();

  function draftsOf(job: number) {
    return [...world.shadow.drafts.values()].filter((draft) => draft.job === job);
  }

  return [
    {
      name: 'no draft without its job',
      onCommit({ drafts, jobs }) {
        for (const { before, after } of drafts) {
          if (before !== null || after === null) continue;
          const job = world.shadow.jobs.get(after.job);
          if (!job) return `draft ${after.id} is of job ${after.job}, which is not there`;
          const wanted = after.kind === 'report' ? ['done', 'failed'] : ['done'];
          if (!wanted.includes(job.state))
            return `draft ${after.id} (${after.kind}) is of job ${job.id}, which is ${job.state}`;
        }
        for (const { before, after } of jobs) {
          if (after === null && before && draftsOf(before.id).length > 0)
            return `job ${before.id} was removed and its draft was not`;
        }
      },
    },
    {
      name: 'no finished draft job without its draft',
      onCommit({ jobs }) {
        for (const { before, after } of jobs) {
          if (!after || before?.state === after.state) continue;
          // A flag that has fallen by the time it is looked into leaves nothing to tell.
          const silent = after.kind === 'watchdog' && draftsOf(after.id).length === 0;
          if (after.state === 'done' && !silent && draftsOf(after.id).length !== 1)
            return `job ${after.id} is done and has ${draftsOf(after.id).length} drafts`;
          const orphaned =
            after.state === 'failed' && after.unclean_exits > (before?.unclean_exits ?? 0);
          if (orphaned && !draftsOf(after.id).some(({ kind }) => kind === 'report'))
            return `job ${after.id} was cut off for good, and no report says so`;
        }
      },
    },
    {
      name: 'one pending draft of a matter',
      onCommit({ drafts }) {
        for (const { after } of drafts) {
          if (after?.state !== 'pending' || after.topic === null) continue;
          const same = [...world.shadow.drafts.values()].filter(
            ({ topic, state }) => topic === after.topic && state === 'pending',
          );
          if (same.length > 1)
            return `drafts ${same.map(({ id }) => id).join(' and ')} are both pending`;
        }
      },
    },
    {
      name: 'an approval is carried out',
      onCommit({ drafts }) {
        for (const { after } of drafts) {
          if (after?.state === 'approved') approvedAt.set(after.id, world.time.real);
          else if (after) approvedAt.delete(after.id);
        }
      },
      onTime() {
        const { current, since, diskFault } = world.hosts;
        // The next start finishes what a crash has left; a full disk and a pause are waited for.
        const waits = !current || oracle.pausedAll(current.rows) || world.time.asleep;
        if (since === null || waits || diskFault !== null) {
          for (const id of approvedAt.keys()) approvedAt.set(id, world.time.real);
          return;
        }
        for (const [id, at] of approvedAt) {
          if (world.time.real - Math.max(at, since) > 3 * MINUTE)
            return `draft ${id} was approved and nothing came of it`;
        }
      },
    },
    {
      name: 'deliveries are never repeated',
      onEffect(effect) {
        if (effect.kind !== 'order') return;
        const { file, content } = effect;
        const draft = world.shadow.drafts.get(Number.parseInt(file, 10));
        if (draft?.state !== 'approved')
          return `orders/${file} is written for draft ${draft?.id ?? 'unknown'}, which is ${draft?.state ?? 'not there'}`;
        const before = delivered.get(file);
        if (before?.sealed) return `orders/${file} is written again after it was applied`;
        if (before && before.content !== content)
          return `orders/${file} is written with other words`;
        delivered.set(file, { content, sealed: false });
        const ordered = JSON.parse(draft.body) as { lines?: { sku: string; quantity: number }[] };
        for (const { sku } of ordered.lines ?? []) {
          if (!content.includes(sku)) return `orders/${file} does not name ${sku}`;
        }
      },
      onCommit({ drafts }) {
        for (const { before, after } of drafts) {
          if (after?.state !== 'applied' || before?.state === 'applied' || after.kind !== 'order')
            continue;
          for (const file of [`${after.id}.csv`, `${after.id}.md`]) {
            const there = delivered.get(file);
            if (!there) return `draft ${after.id} is applied and orders/${file} was not written`;
            there.sealed = true;
          }
        }
      },
    },
  ];
}
