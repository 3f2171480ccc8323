import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export const AGENTS = Array.from({ length: 10 }, (_, index) => `agent-${index}`);

/** What a run must leave, later than any simulated day. */
const AGENT = `
for folder in context todo decisions test_logs; do
  mkdir -p src/$folder
  echo "not needed" > src/$folder/note.md
  touch -d 2090-01-01 src/$folder/note.md
done
`;

/** A repository with ten daily agents, and one clone of it for each machine. */
export function cloneFor(folder: string, machines: number): string[] {
  const origin = join(folder, 'origin');
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(origin, path)), { recursive: true });
    writeFileSync(join(origin, path), text);
  };
  write('src/prompts/roster.json', JSON.stringify({ daily: AGENTS, weekly: [] }));
  for (const agent of AGENTS) write(`src/prompts/daily/${agent}.md`, `# ${agent}\n`);
  write('agent.sh', AGENT);
  write(
    'torch-config.json',
    JSON.stringify({
      scheduler: {
        handoffCommandByCadence: { daily: 'bash agent.sh' },
        validationCommandsByCadence: { daily: [] },
      },
    }),
  );
  const git = (cwd: string, ...args: string[]) => execFileSync('git', args, { cwd, stdio: 'pipe' });
  git(folder, 'init', '--quiet', origin);
  git(origin, 'add', '--all');
  git(
    origin,
    ...['-c', 'user.name=Fleet', '-c', 'user.email=fleet@localhost'],
    ...['commit', '--quiet', '--message', 'Begin'],
  );
  return Array.from({ length: machines }, (_, index) => {
    const root = join(folder, `machine-${index}`, 'garden');
    mkdirSync(dirname(root));
    git(folder, 'clone', '--quiet', origin, root);
    return root;
  });
}

/** The logs of a clone: how many of each status, and what is wrong with any. */
export function readLogs(root: string): { completed: string[]; faults: string[] } {
  const folder = join(root, 'task-logs', 'daily');
  const completed: string[] = [];
  const faults: string[] = [];
  for (const name of readdirSync(folder).filter((one) => !one.startsWith('.'))) {
    const [, stamp, agent, status] =
      /^(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ)__([a-z0-9-]+)__(completed|failed|deferred)\.md$/.exec(
        name,
      ) ?? [];
    const text = readFileSync(join(folder, name), 'utf8');
    const line = (key: string) => new RegExp(`^${key}: (.+)$`, 'm').exec(text)?.[1];
    if (!stamp) faults.push(`${name}: its name`);
    else if (!text.startsWith('---\ncadence: daily\n')) faults.push(`${name}: its beginning`);
    else if (line('agent') !== agent || line('status') !== status) faults.push(`${name}: its head`);
    else if (!text.includes(`\n# Scheduler ${status}\n`)) faults.push(`${name}: its body`);
    else if (status === 'completed') completed.push(`${stamp.slice(0, 10)} ${agent}`);
  }
  return { completed, faults };
}
