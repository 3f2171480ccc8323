import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { TIERS, type Tier } from '../../base/config-schema.ts';
import { type Failure, failure, ok, type Result } from '../../base/errors.ts';
import { randomToken } from '../../base/ids.ts';
import { nameFault, promptFault } from './bounds.ts';
import { LOCAL } from './route.ts';
import { type Admit, titleOf } from './work-request.ts';

/** One job for the next lull, as its owner asks for it. */
export interface Task {
  text: string;
  tier: Tier;
  /** Earliest and latest start, epoch ms. */
  notBefore?: number | undefined;
  until?: number | undefined;
  /** Files and folders the job may read. Relative paths count from where the program was started. */
  files?: readonly string[] | undefined;
  /** The same identity again is the same job; without one each call is a job of its own. */
  identity?: string | undefined;
}

export interface TaskParts {
  tx<T>(work: () => T): T;
  admit: Admit;
  now(): number;
  /** The data folder: what is in it is never given to a job. */
  home: string;
}

export type AddTask = (task: Task) => Result<{ job: number; outcome: 'admitted' | 'duplicate' }>;

const MOST_FILES = 50;

/** Makes one-off work: admitted even while all is paused, as the owner asked for it; it then waits. */
export function createAddTask({ tx, admit, now, home }: TaskParts): AddTask {
  return (task) => {
    const fault =
      promptFault('text', task.text) ??
      (task.identity === undefined ? null : nameFault('identity', task.identity)) ??
      tierFault(task.tier) ??
      windowFault(task, now());
    if (fault) return fault;
    const files = readableFiles(task.files ?? [], home);
    if (!files.ok) return files;
    const identity = task.identity?.trim() ?? randomToken(12);
    const decision = tx(() =>
      admit({
        source: `manual:${identity}`,
        session: null,
        title: titleOf(task.text),
        prompt: task.text,
        files: files.value,
        subject: null,
        tier: task.tier,
        route: LOCAL,
        notBefore: task.notBefore ?? null,
        expiresAt: task.until ?? null,
      }),
    );
    switch (decision.outcome) {
      case 'refused':
        return decision.failure;
      case 'conflict':
        return failure(
          'conflict',
          `"${identity}" is already the name of other work, job ${decision.job.id}`,
          'choose another identity',
        );
      default:
        return ok({ job: decision.job.id, outcome: decision.outcome });
    }
  };
}

function tierFault(tier: Tier): Failure | null {
  return TIERS.includes(tier)
    ? null
    : failure('invalid', `tier must be one of ${TIERS.join(', ')}`);
}

function windowFault({ notBefore, until }: Task, now: number): Failure | null {
  for (const [name, moment] of [
    ['not before', notBefore],
    ['until', until],
  ] as const) {
    if (moment !== undefined && !Number.isSafeInteger(moment)) {
      return failure('invalid', `"${name}" is ${moment}; it must be a moment`);
    }
  }
  if (until !== undefined && until <= now) {
    return failure('invalid', `"until" has passed: ${momentText(until)}`, 'choose a later time');
  }
  if (until !== undefined && notBefore !== undefined && until <= notBefore) {
    return failure(
      'invalid',
      `"until" (${momentText(until)}) must be after "not before" (${momentText(notBefore)})`,
    );
  }
  return null;
}

function momentText(moment: number): string {
  const date = new Date(moment);
  return Number.isNaN(date.getTime()) ? String(moment) : date.toISOString();
}

/** The real paths of files and folders that can be read, each once; links are followed. */
function readableFiles(paths: readonly string[], home: string): Result<string[]> {
  if (paths.length > MOST_FILES) {
    return failure('invalid', `${paths.length} files are named; ${MOST_FILES} are allowed`);
  }
  const found = new Set<string>();
  for (const path of paths) {
    const real = readableFile(resolve(path), home);
    if (!real.ok) return real;
    found.add(real.value);
  }
  return ok([...found]);
}

/** Looks without opening: opening a live database file would drop its locks. */
function readableFile(path: string, home: string): Result<string> {
  try {
    // The native call: the other keeps the letters' case as typed, where the disk ignores it.
    const real = realpathSync.native(path);
    const found = statSync(real);
    if (!found.isFile() && !found.isDirectory()) {
      return failure('invalid', `neither a file nor a folder: ${path}`);
    }
    if (isInside(real, realpathSync.native(home))) {
      return failure('invalid', `in Lull's own data folder: ${path}`, 'copy it elsewhere first');
    }
    accessSync(real, constants.R_OK);
    return ok(real);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') {
      return failure('invalid', `there is no such file: ${path}`);
    }
    if (code === 'EACCES' || code === 'EPERM') {
      return failure('invalid', `this file may not be read: ${path}`, 'check its permissions');
    }
    return failure('invalid', `this file cannot be read (${code ?? error}): ${path}`);
  }
}

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way.split(sep)[0] !== '..' && !isAbsolute(way);
}
