import { cpSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type ConfigChanges, changeConfig, configOf } from '../../main/base/config.ts';
import type { Config } from '../../main/base/config-schema.ts';
import { createHome, type Home, resolveHome } from '../../main/base/home.ts';
import type { Log } from '../../main/base/log.ts';
import { createScrubber } from '../../main/base/scrubber.ts';
import type { Store } from '../../main/base/store/database.ts';
import { openSound } from '../../main/base/store/open-sound.ts';
import { type Life, openLife } from '../../main/life.ts';
import type { Reply } from '../../main/surfaces/dispatch.ts';
import { type CrashPlan, Disk, type DiskFault } from './disk.ts';
import { connectTo } from './model-server.ts';
import { Rows } from './rows.ts';
import { tap } from './tap.ts';
import { MINUTE, type Mortal, SECOND } from './timeline.ts';
import { workersFor } from './worker.ts';
import type { World } from './world.ts';

/** A host that runs. */
interface Incarnation {
  readonly mortal: Mortal;
  readonly life: Life;
  readonly store: Store;
  readonly disk: Disk;
  readonly rows: Rows;
}

/** RAM that the rooms are told of, bytes. */
const RAM = 32e9;

/**
 * The hosts, one after another, over one data folder. A host that dies leaves what it had committed:
 * the files are copied as they lie at that instant, and the next host begins with the copy.
 */
export class Hosts {
  home: Home;
  current: Incarnation | null = null;
  /** Since when the current one runs (real); null while none does. */
  since: number | null = null;
  starts = 0;
  crashes = 0;
  #config: Config;
  #fault: DiskFault | null = null;
  #plan: CrashPlan | null = null;
  #folders = 0;
  readonly #root: string;
  readonly #world: World;

  constructor(world: World, root: string) {
    this.#world = world;
    this.#root = root;
    this.home = this.#newHome();
    this.#config = configOf(this.home.config);
  }

  get config(): Config {
    return this.#config;
  }

  /** Writes settings before the first start. */
  configure(settings: Readonly<Record<string, unknown>>): void {
    const set = changeConfig(this.home.config, settings);
    if (!set.ok) throw new Error(set.message);
    this.#config = set.value;
  }

  /** Opens the database and sets a host to work; one that cannot start is started again later. */
  async start(): Promise<void> {
    const world = this.#world;
    if (this.current || world.violation) return;
    const { time } = world;
    if (time.asleep) return void time.awake(SECOND, () => void this.start());
    this.starts += 1;
    const mortal: Mortal = { alive: true };
    const { home } = this;
    const { store, ...found } = await openSound(home, time.wall);
    // Nobody else has the file, and without the locks a run is several times as fast.
    store.db.pragma('locking_mode = EXCLUSIVE');
    const rows = new Rows(store.db);
    const faults = world.shadow.compare(rows);
    if (faults[0]) world.violate('no job is lost', faults[0]);
    const disk = new Disk(store.db, world.random(`disk ${this.starts}`), {
      commit: () => world.committed(rows),
      crash: (copy) => this.#died(copy),
    });
    disk.plan = this.#plan;
    this.#plan = null;
    tap(store.db, disk);
    disk.setFault(this.#fault);
    const starting = { mortal, store, disk, rows };
    this.current = { ...starting, life: null as unknown as Life };
    this.since = time.real;
    world.trace.record(time.real, `host ${this.starts} starts`);
    try {
      const life = openLife({
        ...{ home, store, forceOffline: false, offlineDelayMs: 0, totalMemoryBytes: RAM },
        clock: time.clockOf(mortal, world.random(`clock ${this.starts}`)),
        config: () => this.#config,
        setConfig: (changes) => this.#setConfig(changes),
        ...{ found, seal: null, scrubber: createScrubber() },
        facts: world.machine.factsFor(mortal),
        sleepHold: world.machine.holdFor(mortal, (what) => world.effect({ kind: what })),
        connect: connectTo(world.servers, mortal),
        workerPort: workersFor(world, mortal),
        log: this.#log(),
      });
      if (!disk.dead) this.current = { ...starting, life };
    } catch (error) {
      if (disk.dead) return;
      world.trace.record(time.real, `host ${this.starts} could not start: ${error}`);
      this.current = null;
      this.since = null;
      mortal.alive = false;
      store.close();
      time.awake(MINUTE, () => void this.start());
    }
  }

  /** Lets the host end cleanly, and starts another after `pause` ms. */
  async stop(pause: number): Promise<void> {
    const stopping = this.current;
    if (!stopping?.life) return;
    this.#world.trace.record(this.#world.time.real, 'host is asked to stop');
    await stopping.life.stop();
    if (this.current !== stopping) return;
    stopping.mortal.alive = false;
    this.current = null;
    this.since = null;
    this.#world.machine.hostDied();
    stopping.store.close();
    this.#world.trace.record(this.#world.time.real, 'host has stopped');
    this.#world.time.after(pause, () => void this.start());
  }

  /** Ends the host here and now. */
  crash(): void {
    this.current?.disk.crash();
  }

  /** Ends the host at a commit or a statement to come; without a host, that of the next start. */
  planCrash(plan: CrashPlan): void {
    if (this.current) this.current.disk.plan = plan;
    else this.#plan = plan;
  }

  get diskFault(): DiskFault | null {
    return this.#fault;
  }

  setDiskFault(fault: DiskFault | null): void {
    this.#fault = fault;
    this.current?.disk.setFault(fault);
  }

  /** A command of the contract, as any carrier would bring it; null where no host answers. */
  async ask(command: string, input: object = {}): Promise<Reply | null> {
    const asked = this.current;
    if (!asked?.life || this.#world.time.asleep) return null;
    const reply = await asked.life.dispatch(command, input);
    return asked.mortal.alive ? reply : null;
  }

  wake(): void {
    this.current?.life?.wake();
  }

  close(): void {
    const { current } = this;
    this.current = null;
    if (!current) return;
    current.mortal.alive = false;
    current.disk.dead = true;
    current.store.close();
  }

  #died(copy: (path: string) => void): void {
    const world = this.#world;
    const dead = this.current;
    if (!dead) return;
    dead.mortal.alive = false;
    this.current = null;
    this.since = null;
    this.crashes += 1;
    const old = this.home;
    this.home = this.#newHome();
    copy(this.home.database);
    cpSync(old.config, this.home.config, { force: true });
    if (existsSync(old.orders)) cpSync(old.orders, this.home.orders, { recursive: true });
    world.machine.hostDied();
    for (const server of world.servers) server.hostDied();
    world.trace.record(world.time.real, `host ${this.starts} dies`);
    world.trace.count(`dies ${dead.disk.plan?.when ?? 'at any moment'}`);
    world.died();
    // Once its last call has come back there is nobody left to use the old folder.
    world.afterwards(() => {
      dead.store.close();
      rmSync(old.dir, { recursive: true, force: true });
    });
    const chance = world.random(`start after ${this.crashes}`);
    const pause = chance.chance(0.7) ? chance.wait(20 * SECOND) : chance.wait(40 * MINUTE);
    world.time.after(pause, () => void this.start());
  }

  #newHome(): Home {
    this.#folders += 1;
    const home = resolveHome(join(this.#root, `home-${this.#folders}`));
    mkdirSync(home.dir, { recursive: true });
    createHome(home);
    return home;
  }

  #setConfig(changes: ConfigChanges) {
    const set = changeConfig(this.home.config, changes);
    if (set.ok) {
      this.#config = set.value;
      this.current?.life?.reconfigured(set.value, null);
    }
    return set;
  }

  /** The host's own words go beside the trace, for whoever looks into a fault. */
  #log(): Log {
    const { trace, time } = this.#world;
    const say = (level: string) => (fields: object, message: string) =>
      trace.note(`      ${level} ${message} ${JSON.stringify(fields)} (${time.real})`);
    return {
      debug() {},
      ...{ info: say('info'), warn: say('warn'), error: say('error') },
      configure() {},
      close() {},
    };
  }
}
