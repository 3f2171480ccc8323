import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../../support/store.ts';
import { cycleIn, type Sample, sampleRepository } from './sample-repository.ts';

/** A file system of a few pages can be made here. */
function canMount(): boolean {
  if (process.platform !== 'linux') return false;
  const dir = temporaryFolder();
  const made = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=16k', 'tmpfs', dir]);
  if (made.status === 0) execFileSync('umount', [dir]);
  return made.status === 0;
}

function tinyLogs(sample: Sample): void {
  const dir = join(sample.root, 'task-logs/daily');
  mkdirSync(dir, { recursive: true });
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16k', 'tmpfs', dir]);
  onTestFinished(() => void execFileSync('umount', [dir]));
}

const FILL = 'cat /dev/zero > task-logs/daily/fill 2>/dev/null; bash agent.sh';

describe('a full disk', { timeout: 120_000 }, () => {
  it('T1 before the agent’s part: nothing is run, told in one line, exit 2', async ({ skip }) => {
    if (!canMount()) return skip('no file system can be mounted here');
    const sample = sampleRepository();
    tinyLogs(sample);
    spawnSync('bash', ['-c', FILL.split(';')[0] ?? ''], { cwd: sample.root });
    const ran = await cycleIn(sample);
    expect(ran).toMatchObject({ code: 2, status: 'failed', logFile: null });
    expect(ran.detail).toContain('the disk is full - free some space and try again');
    expect(ran.err).toContain('[cycle] The log could not be written: the disk is full');
    expect(existsSync(join(sample.root, 'agent-env'))).toBe(false);
    expect(sample.calls().some((call) => call.startsWith('complete'))).toBe(false);
    expect(sample.logs()).toEqual([]);
  });

  it('T1 that the agent filled: no half log stands for a whole one, exit 2', async ({ skip }) => {
    if (!canMount()) return skip('no file system can be mounted here');
    const sample = sampleRepository({ config: { handoffCommandByCadence: { daily: FILL } } });
    tinyLogs(sample);
    const ran = await cycleIn(sample);
    expect(ran).toMatchObject({ code: 2, status: 'failed', agent: 'audit-agent', logFile: null });
    expect(ran.err).toContain('[cycle] The log could not be written: the disk is full');
    expect(sample.logs()).toEqual([]);
  });
});
