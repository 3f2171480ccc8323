import { accessSync, constants, statfsSync } from 'node:fs';
import { readConfig } from '../base/config.ts';
import { ok, type Result, toFailure } from '../base/errors.ts';
import type { Home } from '../base/home.ts';
import type { Store } from '../base/store/database.ts';
import type { FactsSource } from '../engine/gates/facts.ts';
import type { ModelServer } from '../engine/models/server.ts';
import type { SleepHold } from '../engine/supervisor/sleep-keeper.ts';
import { type DoctorView, doctorView } from './doctor.ts';

/** How long a model server may take to say that it is there, milliseconds. */
const PING_MS = 3000;

/** Tests everything that `lull doctor` shows; never throws, and changes nothing. */
export async function examine(parts: {
  home: Home;
  store: Pick<Store, 'quickCheck'>;
  facts: FactsSource;
  sleepHold: Pick<SleepHold, 'check'>;
  /** Configured servers; the offline one is not among them. */
  servers: readonly ModelServer[];
}): Promise<DoctorView> {
  const { home, store, facts, sleepHold, servers } = parts;
  const answers = servers.map(async (server) => {
    const answer = await server
      .ping(AbortSignal.timeout(PING_MS))
      .then((version) => ok(version), toFailure);
    return { name: server.name, answer };
  });
  return doctorView({
    probes: facts.doctor(),
    quickCheck: attempt(
      () => store.quickCheck(),
      (failure) => [failure],
    ),
    diskFreeBytes: attempt(
      () => {
        const { bavail, bsize } = statfsSync(home.dir);
        return bavail * bsize;
      },
      () => null,
    ),
    config: readConfig(home.config),
    servers: await Promise.all(answers),
    sleepHold: await sleepHold.check(),
    orders: attempt<Result<unknown>>(
      () => ok(accessSync(home.orders, constants.W_OK)),
      (message) => ({ ok: false, code: 'database_read_only', message }),
    ),
  });
}

function attempt<T>(work: () => T, failed: (message: string) => T): T {
  try {
    return work();
  } catch (error) {
    return failed(toFailure(error).message);
  }
}
