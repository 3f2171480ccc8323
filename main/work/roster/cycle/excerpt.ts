const HIDDEN = '[REDACTED]';

/** Secrets as programs print them. */
const SECRETS: readonly (readonly [pattern: RegExp, shown: string])[] = [
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, HIDDEN],
  [/\b(bearer|basic)\s+[\w.~+/=-]{6,}/gi, `$1 ${HIDDEN}`],
  [
    /(["']?[\w-]*(?:token|api[_-]?key|secret|passw(?:or)?d|private[_-]?key|authorization|cookie)[\w-]*["']?\s*[:=]\s*)(?!\[REDACTED\])("[^"]*"|'[^']*'|[^\s,;&"']+)/gi,
    `$1${HIDDEN}`,
  ],
  [/\b([a-z][a-z0-9+.-]*:\/\/[^\s/:@]*:)[^\s/@]+@/gi, `$1${HIDDEN}@`],
  [/\b(?:sk|pk|rk|ghp|gho|ghu|ghs|ghr|github_pat|glpat|xox[abeprs]|npm|hf)[-_][\w-]{8,}/g, HIDDEN],
  [
    /\b(?:nsec1[a-z0-9]{20,}|AKIA[A-Z0-9]{16}|AIza[\w-]{30,}|eyJ[\w-]{8,}\.[\w-]+\.[\w-]*)/g,
    HIDDEN,
  ],
];

/** Variables whose values are secrets, whatever they look like. */
const SECRET_NAME = /(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|NSEC|CREDENTIALS?)(?:_|$)/i;
/** Shorter values (a switch, a number) would hide ordinary words. */
const SHORTEST_SECRET = 8;

/** The text with everything that looks like a secret, or is one in `env`, made unreadable. */
export function redact(text: string, env: NodeJS.ProcessEnv): string {
  let clean = text;
  for (const [name, value] of Object.entries(env)) {
    if (value && value.length >= SHORTEST_SECRET && SECRET_NAME.test(name)) {
      clean = clean.replaceAll(value, HIDDEN);
    }
  }
  for (const [pattern, shown] of SECRETS) clean = clean.replace(pattern, shown);
  return clean;
}

const MOST_CHARACTERS = 600;
/** What is searched for secrets: their like may begin before the cut and end behind it. */
const SEARCHED = 20_000;

/** At most 600 characters of a child's output, without secrets; `(empty)` when there is nothing. */
export function excerpt(text: string, env: NodeJS.ProcessEnv): string {
  const clean = redact(text.slice(0, SEARCHED), env).replace(/\s+/g, ' ').trim();
  if (clean.length <= MOST_CHARACTERS) return clean || '(empty)';
  return `${clean.slice(0, MOST_CHARACTERS - 1)}…`;
}
