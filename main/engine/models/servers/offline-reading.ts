/** How the offline model reads what tools answer: JSON, bare or in `{ok, value}`. */
export function parsed(content: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch {
    return content;
  }
  return isRecord(value) && 'value' in value && 'ok' in value ? value.value : value;
}

/** Whether the tool refused. */
export function failed(content: string): boolean {
  try {
    const value: unknown = JSON.parse(content);
    return isRecord(value) && (value.ok === false || typeof value.error === 'string');
  } catch {
    return false;
  }
}

/** Stock rows: the first list of things with a SKU and a need; undefined when there is no list. */
export function rowsOf(content: string): { sku: string; needed: number }[] | undefined {
  const list = firstList(parsed(content));
  return list?.flatMap((row) =>
    isRecord(row) && typeof row.sku === 'string' && Number.isInteger(row.needed)
      ? [{ sku: row.sku, needed: row.needed as number }]
      : [],
  );
}

/** File names: strings, or the field that `read_file` asks for. */
export function entriesOf(content: string, field: string): string[] {
  return (firstList(parsed(content)) ?? []).flatMap((entry) => {
    if (typeof entry === 'string') return [entry];
    if (!isRecord(entry)) return [];
    const name = entry[field] ?? entry.path ?? entry.name;
    return typeof name === 'string' ? [name] : [];
  });
}

/** The words of a file that a tool has read. */
export function contentOf(content: string): string {
  const value = parsed(content);
  if (typeof value === 'string') return value;
  if (!isRecord(value)) return content;
  const text = value.text ?? value.content ?? value.error;
  return typeof text === 'string' ? text : content;
}

/** The name of the argument a tool must have, by its JSON Schema. */
export function argumentName(parameters: object): string {
  const { required, properties } = parameters as { required?: unknown; properties?: object };
  const first = Array.isArray(required) ? required[0] : Object.keys(properties ?? {})[0];
  return typeof first === 'string' ? first : 'path';
}

function firstList(value: unknown): unknown[] | undefined {
  if (Array.isArray(value)) return value;
  if (!isRecord(value)) return undefined;
  return Object.values(value).find(Array.isArray) as unknown[] | undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
