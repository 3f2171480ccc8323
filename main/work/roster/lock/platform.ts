/** Names that a key or a session in the environment gives away, in the order they are looked for. */
const KNOWN: readonly (readonly [name: string, prefixes: readonly string[]])[] = [
  ['jules', ['JULES']],
  ['codex', ['CODEX']],
  ['goose', ['GOOSE']],
  ['claude', ['CLAUDE', 'ANTHROPIC']],
  ['gemini', ['GEMINI', 'GOOGLE']],
  ['antigravity', ['ANTIGRAVITY']],
  ['qwen', ['QWEN']],
];

/** ANTHROPIC and GOOGLE are firms: their keys tell, their session variables would not. */
const KEY_ONLY: readonly string[] = ['ANTHROPIC', 'GOOGLE'];

/** What runs the agent, as events name it: as given, else `AGENT_PLATFORM`, else detected, else `unknown`. */
export function platformOf(given: string | null, env: NodeJS.ProcessEnv): string {
  const named = given?.trim() || env.AGENT_PLATFORM?.trim();
  if (named) return named;
  const found = KNOWN.find(([, prefixes]) =>
    prefixes.some(
      (prefix) =>
        env[`${prefix}_API_KEY`] || (!KEY_ONLY.includes(prefix) && env[`${prefix}_SESSION_ID`]),
    ),
  );
  return found?.[0] ?? 'unknown';
}

/** The model, as events name it. */
export function modelOf(given: string | null, env: NodeJS.ProcessEnv): string {
  return given?.trim() || env.AGENT_MODEL?.trim() || 'unknown';
}
