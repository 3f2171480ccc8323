import { LullError, toFailure } from './base/errors.ts';
import { openSound } from './base/store/open-sound.ts';
import { forgetRestore, type RestorePlan, restore } from './base/store/restore.ts';
import { type BackupParts, openBackups } from './desk/backups.ts';
import { restoredText } from './desk/restored.ts';
import { type Life, type LifeGround, openLife } from './life.ts';
import { backupHandlers } from './surfaces/backup-commands.ts';
import { type Dispatch, dispatcher, type Handlers, type Subscribe } from './surfaces/dispatch.ts';

export type LastingGround = Omit<LifeGround, 'store' | 'found' | 'replace' | 'onDamage'> & {
  /** One line for whoever started the host: what was put back, or why nothing works. */
  readonly say: (line: string) => void;
};

/** A database that is found damaged again and again is no matter of the database. */
const MOST_RENEWALS = 3;
const HOUR_MS = 3_600_000;

/**
 * The life of a host over whatever database its folder holds. Where that is damaged, now or later, or
 * the owner asks for a backup, the life ends, the database is exchanged, and another begins behind the
 * same doors: whoever is connected stays so. Throws what `openSound` and `openLife` throw.
 */
export async function openLastingLife(ground: LastingGround): Promise<Life> {
  const { home, clock, log } = ground;
  const followers = new Map<Parameters<Subscribe>[0], () => void>();
  const renewedAt: number[] = [];
  let close: () => void = () => {};
  let life: Life | null = null;
  let lost: LullError | null = null;
  let renewing: Promise<RestorePlan | null> | null = null;

  async function begin(): Promise<RestorePlan | null> {
    const { store, ...found } = await openSound(home, clock.now());
    close = store.close;
    try {
      life = openLife({ ...ground, store, found, replace, onDamage });
    } catch (error) {
      store.close();
      throw error;
    }
    forgetRestore(home);
    lost = null;
    for (const listener of followers.keys()) followers.set(listener, life.subscribe(listener));
    if (found.restored) {
      const text = restoredText(found.restored, zone());
      log.warn({ restored: found.restored }, 'a backup was put in the place of the database');
      if (found.restored.fault !== null) ground.say(text);
    }
    if (found.lostLog) log.warn({ log: found.lostLog }, 'the last changes could not be read');
    return found.restored;
  }

  async function end(): Promise<void> {
    const ending = life;
    life = null;
    await ending?.stop().catch((error: unknown) => {
      log.error({ error: toFailure(error).message }, 'a life did not end cleanly');
    });
    close();
  }

  async function renew(wanted: Parameters<BackupParts['replace']>[0] | null) {
    try {
      await end();
      if (wanted) restore(home, wanted);
      return await begin();
    } catch (error) {
      const { code, message, hint } = toFailure(error);
      lost = new LullError(code, message, hint);
      log.error({ code, message }, 'there is no database to work with');
      ground.say(`${message}${hint ? ` - ${hint}` : ''}`);
      throw lost;
    } finally {
      renewing = null;
    }
  }

  async function replace(wanted: Parameters<BackupParts['replace']>[0]): Promise<RestorePlan> {
    await renewing?.catch(() => {});
    renewing = renew(wanted);
    const plan = await renewing;
    if (!plan) throw new LullError('failed', 'the backup was not put in place');
    return plan;
  }

  function onDamage(): void {
    if (renewing) return;
    const now = clock.monotonic();
    const recent = renewedAt.filter((at) => now - at < HOUR_MS);
    if (recent.length >= MOST_RENEWALS) return;
    renewedAt.push(now);
    log.error({}, 'the database is damaged: it is read through');
    renewing = renew(null);
    renewing.catch(() => {}); // kept in `lost`
  }

  /** While there is no life, only backups can be spoken of. */
  const bare = dispatcher(
    backupHandlers(
      openBackups({
        ...{ home, now: () => clock.now(), zone: zone(), replace },
        store() {
          throw lost ?? new LullError('refused', 'Lull is putting a backup in place');
        },
      }),
    ) as Handlers,
  );

  const dispatch: Dispatch = async (command, input) => {
    await renewing?.catch(() => {});
    if (life) return life.dispatch(command, input);
    if (/^backup\.(list|restore)$/.test(command)) return bare(command, input);
    return (lost ?? new LullError('refused', 'Lull is stopping')).toFailure();
  };

  await begin();
  const { hello } = life as unknown as Life;
  return {
    hello,
    dispatch,
    subscribe(listener) {
      followers.set(listener, life?.subscribe(listener) ?? (() => {}));
      return () => {
        followers.get(listener)?.();
        followers.delete(listener);
      };
    },
    wake: () => life?.wake(),
    hurry: (graceMs) => life?.hurry(graceMs),
    reconfigured: (config, problem) => life?.reconfigured(config, problem),
    async stop() {
      await renewing?.catch(() => {});
      await end();
    },
  };
}

function zone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}
