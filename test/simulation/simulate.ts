import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ACTORS } from './actors/all.ts';
import { Dead } from './disk.ts';
import { draftInvariants } from './invariants/drafts.ts';
import { lifeInvariants } from './invariants/life.ts';
import { memoryInvariants } from './invariants/memory.ts';
import { producerInvariants } from './invariants/producers.ts';
import { runningInvariants } from './invariants/running.ts';
import { startInvariants } from './invariants/starts.ts';
import { WELL } from './model-server.ts';
import { occurrencesFor } from './occurrences.ts';
import { watchOrders } from './order-folder.ts';
import { setupOf } from './settings.ts';
import { DAY, HOUR, MINUTE, SECOND, Spinning } from './timeline.ts';
import { type Violation, World } from './world.ts';

export interface RunOptions {
  readonly seed: number;
  readonly days: number;
  /** Actors that are left out, by name. */
  readonly without?: readonly string[];
}

export interface RunResult {
  readonly seed: number;
  readonly days: number;
  readonly violation: Violation | null;
  readonly steps: number;
  /** Simulated hours. */
  readonly hours: number;
  readonly crashes: number;
  readonly digest: string;
  /** How often what has happened. */
  readonly tally: Readonly<Record<string, number>>;
  /** The last steps, with the host's own words between them. */
  readonly last: readonly string[];
}

/** So long the world leaves what still waits alone, so that all of it can end. */
const END_PHASE = 4 * DAY;

/** Lives through some days, and says what was found. The same options give the same digest. */
export async function simulate({ seed, days, without = [] }: RunOptions): Promise<RunResult> {
  // What people read names hours of the machine's own zone.
  process.env.TZ = 'UTC';
  const { start, build, models, settings } = setupOf(seed);
  const memory = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
  const root = mkdtempSync(join(memory, 'lull-simulation-'));
  const world = new World({ seed, root, start, build, models });
  const unheard = (error: unknown) => {
    const late = error instanceof Dead || /connection is not open/.test(String(error));
    if (!late) world.violate('nothing is thrown unheard', String((error as Error)?.stack ?? error));
  };
  process.on('unhandledRejection', unheard);
  try {
    world.hosts.configure(settings);
    world.invariants = [
      ...lifeInvariants(world),
      ...draftInvariants(world),
      ...startInvariants(world),
      ...memoryInvariants(world),
      ...producerInvariants(world, occurrencesFor(start, days)),
      ...runningInvariants(world),
    ];
    watchOrders(world);
    world.time.after(0, () => void world.hosts.start());
    for (const actor of ACTORS)
      if (!without.includes(actor.name)) actor.begin(world, world.random(actor.name));
    look(world);
    await until(world, days * DAY);
    await quietEnd(world);
    if (!world.violation) world.ended();
  } finally {
    await world.settle();
    process.off('unhandledRejection', unheard);
    watchOrders(null);
    world.hosts.close();
    rmSync(root, { recursive: true, force: true });
  }
  return {
    ...{ seed, days },
    violation: world.violation,
    steps: world.trace.steps,
    hours: world.time.real / HOUR,
    tally: Object.fromEntries([...world.trace.tally].sort(([a], [b]) => (a < b ? -1 : 1))),
    crashes: world.hosts.crashes,
    digest: world.trace.digest(),
    last: world.trace.last(40),
  };
}

async function until(world: World, end: number, done = () => false): Promise<void> {
  try {
    while (!world.violation && !done() && world.time.advance(end)) await world.settle();
  } catch (error) {
    if (!(error instanceof Spinning)) throw error;
    world.violate('the host comes to rest', error.message);
  }
}

/** Looks at what lasts, often while something runs. */
function look(world: World): void {
  const running = [...world.shadow.jobs.values()].some(({ state }) => state === 'running');
  const ms = running ? 5 * SECOND : MINUTE;
  world.time.after(ms, () => {
    world.passed(ms);
    look(world);
  });
}

/** Nothing is wrong any more, nobody is there, and nothing new comes: all that waits must end. */
async function quietEnd(world: World): Promise<void> {
  if (world.violation) return;
  world.isEnding = true;
  const { time, machine, servers, hosts } = world;
  time.setWallError(0);
  hosts.setDiskFault(null);
  machine.wake();
  machine.touch(false);
  machine.setPower(true);
  Object.assign(machine, {
    ...{ locked: true, micInUse: false, displayAssertion: false, idleUnknown: false },
    ...{ lowPower: false, thermal: 'nominal', pressure: 'normal', exclusiveApp: '' },
    ...{ powerUnknown: false, percentUnknown: false },
  });
  for (const server of servers) {
    server.mood = WELL;
    server.foreign(null);
  }
  const open = () =>
    [...world.shadow.jobs.values()].some(({ state }) =>
      ['queued', 'running', 'deferred'].includes(state),
    );
  time.after(30 * MINUTE, () => void settleDown(world));
  await until(world, time.real + HOUR);
  await until(world, time.real + END_PHASE, () => !open());
}

/** The owner takes everything back that keeps work waiting; a host that is down is asked again. */
async function settleDown(world: World): Promise<void> {
  const { hosts, time } = world;
  const answers = [
    await hosts.ask('resume'),
    await hosts.ask('presence.override', { say: 'clear' }),
    await hosts.ask('config.set', { key: 'hours.heavy', value: null }),
  ];
  const schedules = await hosts.ask('schedule.list');
  for (const { id } of schedules?.ok ? (schedules.value as { id: string }[]) : [])
    answers.push(await hosts.ask('schedule.disable', { id }));
  if ([...answers, schedules].some((answer) => !answer?.ok))
    time.after(10 * MINUTE, () => void settleDown(world));
}
