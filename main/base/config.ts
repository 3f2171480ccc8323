import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { closest, distance } from 'fastest-levenshtein';
import { z } from 'zod';
import { type Config, configSchema } from './config-schema.ts';
import { failure, ok, type Result } from './errors.ts';

/** Reads and validates config.json; a missing file means every default. Never throws. */
export function readConfig(file: string): Result<Config> {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ok(configSchema.parse({}));
    return failure('invalid', `config.json cannot be read: ${(error as Error).message}`);
  }
  let raw: unknown;
  try {
    raw = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    return failure(
      'invalid',
      `config.json is not valid JSON: ${(error as Error).message}`,
      'mend the file, or move it away to use the defaults',
    );
  }
  return parseConfig(raw);
}

/** Validates a whole configuration; the failure names the first wrong key and what it may be. */
export function parseConfig(raw: unknown): Result<Config> {
  const parsed = configSchema.safeParse(raw);
  if (!parsed.success) return explainConfig(parsed.error.issues[0] as z.core.$ZodIssue);
  const { models } = parsed.data;
  const servers = new Set(models.servers.map((server) => server.name));
  for (const [tierName, choice] of Object.entries(models.tiers)) {
    if (choice && !servers.has(choice.server)) {
      return failure(
        'invalid',
        `config.json: models.tiers.${tierName}.server is "${choice.server}", which models.servers does not list`,
        servers.size ? `use one of ${[...servers].join(', ')}` : 'add the server to models.servers',
      );
    }
  }
  return ok(parsed.data);
}

function explainConfig(issue: z.core.$ZodIssue) {
  const path = issue.path.join('.');
  if (issue.code === 'unrecognized_keys') {
    const unknown = issue.keys[0] as string;
    const known = keysAt(issue.path);
    const near = known.length ? closest(unknown, known) : '';
    const full = path ? `${path}.${unknown}` : unknown;
    return failure(
      'invalid',
      `config.json: unknown key "${full}"`,
      near && distance(unknown, near) <= Math.max(2, Math.ceil(unknown.length / 3))
        ? `did you mean "${path ? `${path}.` : ''}${near}"?`
        : `known here: ${known.join(', ')}`,
    );
  }
  return failure('invalid', `config.json: ${path || 'the file'}: ${lower(issue.message)}`);
}

/** The keys the schema knows at a path, for suggestions. */
function keysAt(path: ReadonlyArray<PropertyKey>): string[] {
  let node: unknown = z.toJSONSchema(configSchema, { io: 'input' });
  for (const step of path) {
    node = (node as { properties?: Record<string, unknown> } | undefined)?.properties?.[
      String(step)
    ];
  }
  return Object.keys((node as { properties?: object } | undefined)?.properties ?? {});
}

function lower(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/** The JSON Schema of config.json, for editors. */
export function configJsonSchema(): object {
  return z.toJSONSchema(configSchema, { io: 'input' });
}

/** The value at a dotted key, or a failure with a suggestion. */
export function getConfigValue(config: Config, key: string): Result<unknown> {
  const path = key.split('.');
  let value: unknown = config;
  for (const [index, step] of path.entries()) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) {
      const known = Object.keys((value as object | null) ?? {});
      return failure(
        'invalid',
        `unknown key "${path.slice(0, index + 1).join('.')}"`,
        known.length
          ? `did you mean "${[...path.slice(0, index), closest(step, known)].join('.')}"?`
          : undefined,
      );
    }
    value = (value as Record<string, unknown>)[step];
  }
  return ok(value);
}

/** Sets one dotted key in config.json, keeping the rest of the file; validated before it is written. */
export function setConfigValue(file: string, key: string, value: unknown): Result<Config> {
  const current = readConfig(file);
  if (!current.ok) return current;
  let raw: Record<string, unknown> = {};
  try {
    raw = JSON.parse(readFileSync(file, 'utf8').replace(/^\uFEFF/, ''));
  } catch {
    // no file yet: start from the defaults
  }
  const path = key.split('.');
  if (path.some((step) => step === '__proto__' || step === 'constructor' || step === '')) {
    return failure('invalid', `unknown key "${key}"`);
  }
  let node = raw;
  for (const step of path.slice(0, -1)) {
    const next = node[step];
    node[step] = typeof next === 'object' && next !== null && !Array.isArray(next) ? next : {};
    node = node[step] as Record<string, unknown>;
  }
  node[path.at(-1) as string] = value;
  const parsed = parseConfig(raw);
  if (!parsed.ok) return parsed;
  const temporary = `${file}.${process.pid}.tmp`;
  writeFileSync(temporary, `${JSON.stringify(raw, null, 2)}\n`, { mode: 0o600 });
  renameSync(temporary, file);
  return parsed;
}
