import { describe, expect, it } from 'vitest';
import { lull } from './fake-rooms.ts';

describe('lull cycles', () => {
  it('T6 add says what it means and needs the owner’s consent', async () => {
    const asked = await lull(['cycles', 'add', '/work/site', '--daily', '2h']);
    expect(asked.code).toBe(3);
    expect(asked.out).toContain('A cycle starts the agent of site');
    expect(asked.err).toContain('your consent is needed');
    const added = await lull(['cycles', 'add', '/work/site', '--daily', '0 3 * * *', '--consent']);
    expect(added.code).toBe(0);
    expect(added.out).toContain('Added.');
    const wrong = await lull(['cycles', 'add', '/work/site', '--daily', 'often']);
    expect(wrong.code).toBe(1);
    expect(wrong.err.trim().split('\n')).toHaveLength(1);
  });

  it('T6 list, plan, health, run and remove say it in plain words', async () => {
    const list = await lull(['cycles', 'list']);
    expect(list.out).toMatch(/\/work\/site\n.*platform +claude/s);
    expect(list.out).toContain('2 agents, only when asked for');
    expect(list.out).toContain('The lock is kept on this machine.');
    const plan = await lull(['cycles', 'plan', '/work/site', 'daily']);
    expect(plan.out).toMatch(/1 {2}audit-agent.*docs-agent +locked/s);
    const health = await lull(['cycles', 'health', '/work/site']);
    expect(health.out).toMatch(/wss:\/\/two\.example +connection refused/);
    const run = await lull(['cycles', 'run', '/work/site', 'daily']);
    expect(run.out).toContain('lull jobs run 9');
    const remove = await lull(['cycles', 'remove', '/work/site', '--json']);
    expect(JSON.parse(remove.out)).toEqual({ path: '/work/site' });
    expect((await lull(['cycles', 'plan', '/work/site', 'hourly'])).code).toBe(1);
  });
});
