import { readFileSync, realpathSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { type Config, configSchema } from './config-schema.ts';
import { type Failure, failure, LullError, ok, type Result } from './errors.ts';
import { explain } from './explain.ts';
import { findJsonFault } from './json-fault.ts';
import { replaceFile } from './replace-file.ts';
import { nearest } from './suggest.ts';

/** Reads and validates config.json; a missing file means every default. Never throws. */
export function readConfig(file: string): Result<Config> {
  const raw = readRaw(file);
  return raw.ok ? parseConfig(raw.value) : raw;
}

/** The file as the owner wrote it, or `{}` where there is none. */
function readRaw(file: string): Result<unknown> {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ok({});
    return failure('invalid', `config.json cannot be read: ${(error as Error).message}`);
  }
  const fault = findJsonFault(text);
  if (fault) {
    return failure(
      'invalid',
      `config.json is not valid JSON: ${fault.what} at row ${fault.row}, column ${fault.column}`,
      'mend the file, or move it away to use the defaults',
    );
  }
  return ok(JSON.parse(text));
}

/** Validates a whole configuration; the failure names the first wrong key and what it may be. */
export function parseConfig(raw: unknown): Result<Config> {
  const parsed = configSchema.safeParse(raw);
  if (!parsed.success) {
    const issue = parsed.error.issues[0] as z.core.$ZodIssue;
    const { message, hint } = explain(issue, 'the file', keysAt);
    return failure('invalid', `config.json: ${message}`, hint);
  }
  return checkServers(parsed.data) ?? checkRoster(parsed.data) ?? ok(parsed.data);
}

/** Relays are used only where the owner has named some, and no repository stands there twice. */
function checkRoster({ roster }: Config): Failure | null {
  if (roster.lock === 'relays' && roster.relays.length === 0) {
    return failure(
      'invalid',
      'config.json: roster.lock is "relays", but roster.relays names none',
      'name the relays, or use roster.lock "local"',
    );
  }
  const paths = roster.repositories.map(({ path }) => path);
  const relative = paths.find((path) => !isAbsolute(path));
  if (relative !== undefined) {
    return failure(
      'invalid',
      `config.json: roster.repositories: "${relative}" is not an absolute path`,
      'write the whole path',
    );
  }
  const twice = paths.find((path, index) => paths.indexOf(path) !== index);
  if (twice === undefined) return null;
  return failure(
    'invalid',
    `config.json: roster.repositories lists "${twice}" twice`,
    'remove one of them',
  );
}

/** Every model names a server of the list, and no name stands there twice. */
function checkServers({ models }: Config): Failure | null {
  const servers = models.servers.map((server) => server.name);
  const twice = servers.find((name, index) => servers.indexOf(name) !== index);
  if (twice !== undefined) {
    return failure(
      'invalid',
      `config.json: models.servers lists "${twice}" twice`,
      'give each server a name of its own',
    );
  }
  const choices: Array<readonly [string, { server: string } | null | undefined]> = [
    ...Object.entries(models.tiers).map(([tier, choice]) => [`tiers.${tier}`, choice] as const),
    ['embedder', models.embedder],
  ];
  for (const [key, choice] of choices) {
    if (!choice || servers.includes(choice.server)) continue;
    return failure(
      'invalid',
      `config.json: models.${key}.server is "${choice.server}", which models.servers does not list`,
      servers.length ? `use one of ${servers.join(', ')}` : 'add the server to models.servers',
    );
  }
  return null;
}

/** The keys the schema knows at a path, for suggestions. */
function keysAt(path: readonly PropertyKey[]): string[] {
  let node: JsonNode | undefined = configJsonSchema();
  for (const step of path) {
    node = typeof step === 'number' ? node?.items : node?.properties?.[String(step)];
    node = node?.anyOf?.find((one) => one.properties) ?? node;
  }
  return Object.keys(node?.properties ?? {});
}

interface JsonNode {
  properties?: Record<string, JsonNode>;
  items?: JsonNode;
  anyOf?: JsonNode[];
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
      const unknown = path.slice(0, index + 1).join('.');
      const known = Object.keys((value as object | null) ?? {});
      const near = nearest(step, known);
      const inside = (name: string) => [...path.slice(0, index), name].join('.');
      if (near) {
        return failure('invalid', `unknown key "${unknown}"`, `did you mean "${inside(near)}"?`);
      }
      return failure(
        'invalid',
        `unknown key "${unknown}"`,
        known.length ? `known here: ${known.join(', ')}` : undefined,
      );
    }
    value = (value as Record<string, unknown>)[step];
  }
  return ok(value);
}

/** Values by dotted key. */
export type ConfigChanges = Readonly<Record<string, unknown>>;

/**
 * Sets dotted keys in config.json, all or none, keeping the rest of the file; validated as a whole
 * before it is written.
 */
export function changeConfig(file: string, changes: ConfigChanges): Result<Config> {
  const current = readConfig(file);
  if (!current.ok) return current;
  const raw = readRaw(file);
  if (!raw.ok) return raw;
  for (const [key, value] of Object.entries(changes)) {
    const refused = put(raw.value as Record<string, unknown>, key, value);
    if (refused) return refused;
  }
  const parsed = parseConfig(raw.value);
  if (!parsed.ok) return parsed;
  return replaceFile(realPath(file), `${JSON.stringify(raw.value, null, 2)}\n`) ?? parsed;
}

function put(root: Record<string, unknown>, key: string, value: unknown): Failure | null {
  if (value === undefined) return failure('invalid', `a value for "${key}" is missing`);
  const path = key.split('.');
  if (path.some((step) => step === '' || step in Object.prototype)) {
    return failure('invalid', `unknown key "${key}"`);
  }
  let node = root;
  for (const [index, step] of path.slice(0, -1).entries()) {
    const next = node[step];
    if (Array.isArray(next)) {
      const list = path.slice(0, index + 1).join('.');
      return failure('invalid', `"${list}" is a list`, 'set it as a whole, or edit config.json');
    }
    node[step] = typeof next === 'object' && next !== null ? next : {};
    node = node[step] as Record<string, unknown>;
  }
  node[path.at(-1) as string] = value;
  return null;
}

/** Where the file is a link, its target is what is replaced. */
function realPath(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file; // not there yet
  }
}

/** The settings in force; throws LullError for a broken file. */
export function configOf(file: string): Config {
  const read = readConfig(file);
  if (!read.ok) throw new LullError(read.code, read.message, read.hint);
  return read.value;
}
