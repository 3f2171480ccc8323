/** What a child may know of our environment by name. */
const NAMES: ReadonlySet<string> = new Set([
  ...['PATH', 'HOME', 'USER', 'SHELL', 'TERM', 'LANG', 'TZ', 'CI'],
]);

/** And by how the name begins. */
const PREFIXES: readonly string[] = [
  ...['LC_', 'NODE_', 'TMP', 'GITHUB_', 'npm_', 'NOSTR_', 'TORCH_', 'SCHEDULER_', 'AGENT_'],
  ...['JULES_', 'CODEX_', 'CLAUDE_', 'ANTHROPIC_', 'GOOSE_'],
];

/** The environment of a child: what is on the list of `env`, and `more` over it. */
export function childEnvironment(
  env: NodeJS.ProcessEnv,
  more: Readonly<Record<string, string>>,
): Record<string, string> {
  const allowed: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined) continue;
    if (NAMES.has(name) || PREFIXES.some((prefix) => name.startsWith(prefix))) {
      allowed[name] = value;
    }
  }
  return { ...allowed, ...more };
}
