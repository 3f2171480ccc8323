import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Libraries } from './darwin/libraries.ts';
import { sleepAssertion } from './darwin/sleep-assertion.ts';
import { known, type Reading, unknown } from './reading.ts';

/** How long a hold lasts that nobody takes anew, seconds. */
export const HOLD_SECONDS = 900;

/** What a hold is called that only shows whether one can be taken. */
const TRYING = 'Lull: trying it out';

/** Holds system sleep off, by the system itself or by a helper program of it, where there is one. */
export interface SystemSleepHold {
  /** Takes the hold, or takes it anew for its whole time. Never throws. */
  hold(reason: string): void;
  release(): void;
  /** Takes a hold for a moment: whether that works here, and by what. Never rejects. */
  check(): Promise<Reading<string>>;
}

interface Helper {
  /** Everything that has to be found on the path; the first is what holds. */
  needs: [string, ...string[]];
  /** Its arguments, up to the command that it holds sleep off for. */
  holds(reason: string): string[];
  /** That command: it ends after a time, and with us. */
  lasts: string[];
}

/**
 * Each helper ends by itself after its time, and with us, however we end: on Linux because its input
 * closes, on macOS because it watches our process. On Linux only idle sleep is held off: the lid and
 * the owner's own "suspend" work as ever.
 */
const HELPERS: Readonly<Partial<Record<NodeJS.Platform, Helper>>> = {
  linux: {
    needs: ['systemd-inhibit', 'timeout', 'cat'],
    holds: (reason) => ['--what=idle', '--mode=block', '--who=Lull', `--why=${reason}`],
    lasts: ['timeout', String(HOLD_SECONDS), 'cat'],
  },
  darwin: {
    needs: ['caffeinate'],
    holds: () => ['-i'],
    lasts: ['-t', String(HOLD_SECONDS), '-w', String(process.pid)],
  },
};

/** The hold of this platform: on macOS one under Lull's own name, and by its helper where that fails. */
export function systemSleepHold(
  platform: NodeJS.Platform = process.platform,
  env: NodeJS.ProcessEnv = process.env,
  libraries?: Libraries,
): SystemSleepHold {
  const helper = helperHold(platform, env);
  if (platform !== 'darwin') return helper;
  const mine = sleepAssertion(HOLD_SECONDS, libraries);
  const trial = sleepAssertion(HOLD_SECONDS, libraries);
  return {
    hold(reason) {
      if (mine.take(reason).ok) helper.release();
      else helper.hold(reason);
    },
    release() {
      mine.release();
      helper.release();
    },
    async check() {
      const tried = trial.take(TRYING);
      trial.release();
      return tried.ok ? tried : helper.check();
    },
  };
}

function helperHold(platform: NodeJS.Platform, env: NodeJS.ProcessEnv): SystemSleepHold {
  const found = findHelper(platform, env.PATH ?? '');
  if (!found.ok) return { hold() {}, release() {}, check: async () => found };
  const { holds, lasts, needs } = found.value;
  const [program] = needs;
  let held: ChildProcess | null = null;

  function begin(reason: string, command: string[]): ChildProcess {
    const line = [...holds(reason), ...command];
    const child = spawn(program, line, { env, stdio: ['pipe', 'ignore', 'ignore'] });
    child.stdin?.on('error', () => {});
    return child;
  }

  function end(child: ChildProcess | null): void {
    child?.stdin?.destroy();
    child?.kill();
  }

  return {
    hold(reason) {
      const before = held;
      held = begin(reason, lasts);
      held.on('error', () => {}); // gone since it was looked for: then nothing is held
      held.unref();
      end(before); // the new hold is there first
    },
    release() {
      end(held);
      held = null;
    },
    check: () =>
      new Promise((resolve) => {
        const failed = (why: string) => resolve(unknown(program, why));
        const child = begin(TRYING, ['true']);
        child.on('error', ({ message }) => failed(message));
        child.on('exit', (code) =>
          code === 0 ? resolve(known(program, 'it can')) : failed('the system refused it'),
        );
      }),
  };
}

function findHelper(platform: NodeJS.Platform, path: string): Reading<Helper> {
  const helper = HELPERS[platform];
  if (!helper) return unknown(platform, `Lull cannot hold off sleep on ${platform} yet`);
  const missing = helper.needs.find((name) => !isOnPath(name, path));
  return missing ? unknown('PATH', `${missing} is not installed`) : known('PATH', helper);
}

function isOnPath(program: string, path: string): boolean {
  return path.split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return folder !== '';
    } catch {
      return false;
    }
  });
}
