import type { Random } from '../random.ts';
import { HOUR, MINUTE, SECOND } from '../timeline.ts';
import type { World } from '../world.ts';

type Act = (world: World, random: Random) => Promise<unknown>;

/** One thing that the owner does at the panel. */
export async function deskAct(world: World, random: Random): Promise<void> {
  const total = ACTS.reduce((sum, [weight]) => sum + weight, 0);
  let at = random.next() * total;
  for (const [weight, act] of ACTS) {
    at -= weight;
    if (at < 0) return void (await act(world, random));
  }
}

const TIERS = ['synthesis', 'synthesis', 'synthesis', 'stretch', 'routine', 'pinned'] as const;

const ACTS: readonly (readonly [weight: number, act: Act])[] = [
  [10, decide],
  [6, addTask],
  [2, cancel],
  [3, runNow],
  [2, retry],
  [2, pause],
  [2, resume],
  [2, word],
  [2, editSchedule],
  [1, turnSchedule],
  [1, watch],
  [2, settings],
  [3, look],
];

async function decide(world: World, random: Random): Promise<void> {
  const drafts = await list(world, 'drafts.list', { state: 'pending' });
  const failed = await list(world, 'drafts.list', { state: 'apply-failed' });
  for (const { id } of [...drafts, ...failed].slice(0, random.whole(1, 6))) {
    if (random.chance(0.25)) {
      await world.hosts.ask('drafts.dismiss', { id });
      if (random.chance(0.3)) await world.hosts.ask('drafts.restore', { id });
      continue;
    }
    for (let times = random.whole(1, 2); times > 0; times--) await approve(world, id, random);
  }
}

async function approve(world: World, id: number, random: Random): Promise<void> {
  const answer = await world.hosts.ask('drafts.approve', { id });
  if (!answer?.ok) return;
  const { outcome, confirm } = answer.value as { outcome: string; confirm?: string };
  if (outcome === 'changed' && random.chance(0.8))
    await world.hosts.ask('drafts.approve', { id, confirm });
}

async function addTask(world: World, random: Random): Promise<void> {
  const now = world.time.wall;
  const later = random.chance(0.3) ? { notBefore: now + random.wait(3 * HOUR) } : {};
  const until = random.chance(0.2)
    ? { until: ('notBefore' in later ? later.notBefore : now) + MINUTE + random.wait(6 * HOUR) }
    : {};
  const identity = `task ${world.trace.steps} ${random.whole(1, 1e9)}`;
  const input = {
    text: `Think about matter ${random.whole(1, 40)}.`,
    tier: random.pick(TIERS),
    identity,
    ...later,
    ...until,
  };
  const added = await world.hosts.ask('jobs.add', input);
  promised(world, added);
  // A click that was not answered is made again: the same work.
  if (random.chance(0.2)) {
    const again = await world.hosts.ask('jobs.add', input);
    if (added?.ok && again?.ok && jobOf(added) !== jobOf(again))
      world.violate('no occurrence is admitted twice', `${identity} became two jobs`);
  }
}

/** What the owner was told is stored must be. */
function promised(world: World, answer: Awaited<ReturnType<World['hosts']['ask']>>): void {
  if (!answer?.ok) return;
  const id = jobOf(answer);
  if (!world.shadow.jobs.has(id))
    world.violate('no job is lost', `job ${id} was promised and is not stored`);
}

const jobOf = (answer: { value: unknown }) => (answer.value as { job: number }).job;

async function cancel(world: World, random: Random): Promise<void> {
  const job = await someJob(world, random, ['queued', 'running', 'deferred']);
  if (job) await world.hosts.ask('jobs.cancel', { id: job });
}

async function runNow(world: World, random: Random): Promise<void> {
  const id = await someJob(world, random, ['queued', 'deferred']);
  if (id === null) return;
  const onBattery = random.chance(0.4);
  await world.hosts.ask('jobs.runNow', { id, onBattery });
  await world.hosts.ask('jobs.runNow', { id, onBattery, confirm: true });
  // And thinks better of it, often while it runs.
  if (random.chance(0.6))
    world.time.after(random.wait(30 * SECOND), () => void world.hosts.ask('jobs.cancel', { id }));
}

async function retry(world: World, random: Random): Promise<void> {
  const id = await someJob(world, random, ['failed', 'cancelled', 'missed']);
  if (id !== null) promised(world, await world.hosts.ask('jobs.retry', { id }));
}

async function someJob(
  world: World,
  random: Random,
  states: readonly string[],
): Promise<number | null> {
  const jobs = await list(world, 'jobs.list', { state: random.pick(states), limit: 20 });
  return jobs.length > 0 ? random.pick(jobs).id : null;
}

async function pause(world: World, random: Random): Promise<void> {
  const scope = random.pick(['all', 'heavy']);
  const lasts = random.chance(0.8) ? { forSeconds: Math.ceil(random.wait(2 * HOUR) / SECOND) } : {};
  await world.hosts.ask('pause', { scope, ...lasts });
}

async function resume(world: World, random: Random): Promise<void> {
  await world.hosts.ask(
    'resume',
    random.chance(0.5) ? {} : { scope: random.pick(['all', 'heavy']) },
  );
}

async function word(world: World, random: Random): Promise<void> {
  const say = random.pick(['present', 'away', 'clear']);
  const lasts = say === 'clear' ? {} : { forSeconds: Math.ceil(random.wait(HOUR) / SECOND) };
  await world.hosts.ask('presence.override', { say, ...lasts });
}

async function editSchedule(world: World, random: Random): Promise<void> {
  const schedule = await someSchedule(world, random);
  if (!schedule) return;
  const { id, rule } = schedule;
  const edit = random.pick(['rule', 'prompt', 'tier', 'missed']);
  const value = {
    rule:
      rule.kind === 'interval'
        ? { ...rule, everySeconds: random.pick([3600, 7200, 21_600, 86_400]) }
        : { ...rule, expression: `${random.whole(0, 59)} ${random.whole(0, 23)} * * *` },
    prompt: `Look at matter ${random.whole(1, 40)}.`,
    tier: random.pick([...TIERS, null]),
    missed: random.pick(MISSED),
  }[edit];
  await world.hosts.ask('schedule.edit', { id, [edit]: value });
}

export const MISSED = [
  { kind: 'coalesce' },
  { kind: 'skip' },
  { kind: 'within', seconds: 7200 },
  { kind: 'replay', atMost: 4 },
] as const;

async function turnSchedule(world: World, random: Random): Promise<void> {
  const schedule = await someSchedule(world, random);
  if (!schedule) return;
  await world.hosts.ask(schedule.enabled ? 'schedule.disable' : 'schedule.enable', {
    id: schedule.id,
  });
}

interface Schedule {
  id: string;
  enabled: boolean;
  rule: { kind: string };
}

async function someSchedule(world: World, random: Random): Promise<Schedule | null> {
  const answer = await world.hosts.ask('schedule.list');
  const all = answer?.ok ? (answer.value as Schedule[]) : [];
  return all.length > 0 ? random.pick(all) : null;
}

async function watch(world: World, random: Random): Promise<void> {
  const number = random.whole(1, 8);
  if (random.chance(0.5)) await world.hosts.ask('watch.remove', { id: `low ${number}` });
  else await world.hosts.ask('watch.add', { id: `low ${number}`, sku: `SKU-${number}` });
}

async function settings(world: World, random: Random): Promise<void> {
  const every = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
  const [key, value] = random.pick([
    ['yield.graceSeconds', random.whole(2, 10)],
    ['queue.lightCapacity', random.whole(4, 12)],
    ['queue.heavyCapacity', random.whole(4, 20)],
    ['queue.keepFinishedDays', random.whole(1, 4)],
    ['power.floorPercent', random.whole(10, 40)],
    ['presence.idleThresholdSeconds', random.pick([120, 300, 600])],
    ['models.keepAliveMinutes', random.pick([5, 30])],
    ['hours.heavy', null],
    ['hours.heavy', [{ days: every, from: '20:00', to: '08:00', zone: 'UTC' }]],
  ] as const);
  await world.hosts.ask('config.set', { key, value });
}

/** Opens the panel; it must always be there. */
async function look(world: World, random: Random): Promise<void> {
  const command = random.pick(['panel', 'status', 'why', 'jobs.history', 'tide.day'] as const);
  const input = command === 'jobs.history' ? { limit: 20 } : {};
  const answer = await world.hosts.ask(command, input);
  if (answer && !answer.ok && world.hosts.diskFault === null)
    world.violate('the owner can always look', `${command}: ${answer.message}`);
}

async function list(world: World, command: string, input: object): Promise<{ id: number }[]> {
  const answer = await world.hosts.ask(command, input);
  return answer?.ok ? (answer.value as { id: number }[]) : [];
}
