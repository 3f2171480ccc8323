import type { Facts } from '../../main/engine/gates/facts.ts';
import { Hosts } from './hosts.ts';
import type { Effect, Fault, Invariant } from './invariant.ts';
import { type Build, Machine } from './machine.ts';
import { type SimModel, SimServer } from './model-server.ts';
import { type Random, randomStream } from './random.ts';
import type { Changes, JobRow, Rows } from './rows.ts';
import { Shadow } from './shadow.ts';
import { Timeline } from './timeline.ts';
import { Trace } from './trace.ts';

export interface Violation extends Fault {
  step: number;
  at: number;
}

export interface WorldOptions {
  readonly seed: number;
  /** A folder, on memory, that is the run's own. */
  readonly root: string;
  /** Epoch ms. */
  readonly start: number;
  readonly build: Build;
  readonly models: readonly Omit<SimModel, 'reported'>[];
}

/** Everything there is in one run, and the one place where steps are counted and checked. */
export class World {
  readonly seed: number;
  readonly start: number;
  readonly time: Timeline;
  readonly trace = new Trace();
  readonly machine: Machine;
  readonly servers: readonly SimServer[];
  readonly hosts: Hosts;
  readonly shadow = new Shadow();
  invariants: readonly Invariant[] = [];
  violation: Violation | null = null;
  /** The run is over and only what waits is still carried out. */
  isEnding = false;
  /** Told of every job that begins to run, or gets on with it. */
  readonly onRunning: ((job: JobRow) => void)[] = [];
  #afterwards: (() => void)[] = [];

  constructor(options: WorldOptions) {
    const { seed, start } = options;
    this.seed = seed;
    this.start = start;
    this.time = new Timeline(start);
    this.machine = new Machine(this.time, options.build);
    const models = options.models.map((model) => ({ ...model, reported: null }));
    this.servers = [
      new SimServer('mac', models, {
        time: this.time,
        random: this.random('server mac'),
        told: (effect) => this.effect(effect),
      }),
    ];
    this.hosts = new Hosts(this, options.root);
  }

  random(name: string): Random {
    return randomStream(this.seed, name);
  }

  get facts(): Facts {
    return this.machine.facts();
  }

  /** A commit was made: a step. What it changed is looked at by every invariant. */
  committed(rows: Rows): void {
    try {
      this.#committed(rows);
    } catch (error) {
      // It must not reach the engine, which would take it for its own.
      this.violate('the checks themselves hold', String((error as Error).stack));
    }
  }

  #committed(rows: Rows): void {
    const changes = this.shadow.take(rows);
    const loads = rows.loads();
    if (loads.length > 0)
      for (const invariant of this.invariants) this.#check(invariant, invariant.onLoads?.(loads));
    const said = inWords(changes);
    this.trace.record(this.time.real, `commit ${said}`);
    if (said === '') return;
    for (const { before, after } of changes.jobs) {
      if (before?.state !== after?.state)
        this.trace.count(`${before?.state ?? ''}→${after?.state ?? 'pruned'}`);
    }
    for (const { before, after } of changes.drafts) {
      if (after && before?.state !== after.state)
        this.trace.count(`${after.kind} draft ${after.state}`);
    }
    for (const invariant of this.invariants)
      this.#check(invariant, invariant.onCommit?.(changes, rows));
    for (const { after } of changes.jobs)
      if (after?.state === 'running') for (const tell of this.onRunning) tell(after);
  }

  /** Something happened outside the database: a step. */
  effect(effect: Effect): void {
    this.trace.record(this.time.real, JSON.stringify(effect));
    this.trace.count(effect.kind);
    for (const invariant of this.invariants) this.#check(invariant, invariant.onEffect?.(effect));
  }

  /** A host has died: what belonged to it alone is over. */
  died(): void {
    for (const invariant of this.invariants) invariant.onDeath?.();
  }

  /** Time has passed; `ms` of it since the last look. */
  passed(ms: number): void {
    for (const invariant of this.invariants) this.#check(invariant, invariant.onTime?.(ms));
  }

  ended(): void {
    for (const invariant of this.invariants) this.#check(invariant, invariant.atEnd?.());
  }

  violate(name: string, message: string): void {
    this.violation ??= { name, message, step: this.trace.steps, at: this.time.real };
  }

  /** Runs `work` once everything that is under way at this moment has come to rest. */
  afterwards(work: () => void): void {
    this.#afterwards.push(work);
  }

  /** Lets every promise that can go on go on, then what was put off until now. */
  async settle(): Promise<void> {
    await new Promise<void>((resolve) => setImmediate(resolve));
    for (const work of this.#afterwards.splice(0)) work();
  }

  #check(invariant: Invariant, message: string | null | undefined): void {
    if (message) this.violate(invariant.name, message);
  }
}

function inWords(changes: Changes): string {
  const words: string[] = [];
  for (const { before, after } of changes.jobs) {
    const row = after ?? before;
    const move = `${before?.state ?? ''}→${after?.state ?? 'pruned'}`;
    words.push(`job ${row?.id} (${row?.kind}, ${row?.tier}) ${move} #${row?.claim_no}`);
  }
  for (const { before, after } of changes.drafts)
    words.push(`draft ${(after ?? before)?.id} ${before?.state ?? ''}→${after?.state ?? 'gone'}`);
  for (const { after } of changes.schedules)
    words.push(`schedule ${after?.id}@${after?.revision} due ${after?.next_due}`);
  for (const { after } of changes.stock_conditions)
    words.push(`condition ${after?.id} ${after?.armed ? 'armed' : 'fired'} ${after?.generation}`);
  if (changes.transcripts.length > 0) words.push(`${changes.transcripts.length} transcripts`);
  return words.join('; ');
}
