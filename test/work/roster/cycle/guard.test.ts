import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { FAMILY_MARK } from '../../../../main/work/roster/cycle/family.ts';
import { guardFamily } from '../../../../main/work/roster/cycle/guard.ts';

/** The guards this process has started and that still watch. */
function guards(): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
      const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      const ours = state !== 'Z' && Number(parent) === process.pid;
      return ours && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('read -r over');
    } catch {
      return false;
    }
  });
}

describe.runIf(process.platform === 'linux')('the guard of a cycle', { timeout: 60_000 }, () => {
  it('T5 goes when the cycle is over, and ends nobody', async () => {
    const agent = spawn('sleep', ['600'], {
      stdio: 'ignore',
      env: { PATH: process.env.PATH, [FAMILY_MARK]: 'over-1.child' },
    });
    onTestFinished(() => void agent.kill('SIGKILL'));
    await once(agent, 'spawn');
    const guard = guardFamily('over-1');
    await vi.waitFor(() => expect(guards()).toHaveLength(1), { timeout: 30_000 });
    guard.over();
    await vi.waitFor(() => expect(guards()).toEqual([]), { timeout: 30_000 });
    expect([agent.exitCode, agent.signalCode]).toEqual([null, null]);
  });
});
