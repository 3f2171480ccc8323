import { type Field, GROUPS, MODEL_FIELDS } from './settings-fields.ts';

/** Every setting that has a field somewhere. */
export const FIELDS: readonly Field[] = [
  ...GROUPS.flatMap((group) => group.fields),
  ...MODEL_FIELDS,
];

/** The value at a dotted key; undefined where there is none. */
export function valueAt(config: unknown, key: string): unknown {
  let value = config;
  for (const step of key.split('.')) value = (value as Record<string, unknown> | null)?.[step];
  return value;
}

/** What has a place of its own beside its fields. */
const IN_MODELS = ['models.servers', 'models.tiers'];

/** Dotted keys of the config that the panel cannot change, with their values. */
export function otherSettings(config: unknown): [key: string, value: unknown][] {
  const shown = new Set([...FIELDS.map((field) => field.key), ...IN_MODELS]);
  const found: [string, unknown][] = [];
  const visit = (value: unknown, key: string, depth: number) => {
    if (shown.has(key)) return;
    const isGroup = typeof value === 'object' && value !== null && !Array.isArray(value);
    if (isGroup && depth < 2 && Object.keys(value).length > 0) {
      for (const [name, inner] of Object.entries(value)) {
        visit(inner, key ? `${key}.${name}` : name, depth + 1);
      }
    } else found.push([key, value]);
  };
  visit(config, '', 0);
  return found;
}

/** A value of the config as its field shows it. */
export function toField(field: Field, value: unknown): string {
  if (field.kind === 'number') {
    return typeof value === 'number' ? String(Math.round((value / field.per) * 100) / 100) : '';
  }
  if (field.kind === 'list') return Array.isArray(value) ? value.join('\n') : '';
  return String(value ?? '');
}

/** What a field holds as a value of the config; what is no number goes as it is, to be refused. */
export function fromField(field: Field, text: string): unknown {
  switch (field.kind) {
    case 'number': {
      if (text.trim() === '') return null;
      const number = Number(text.replace(',', '.'));
      if (Number.isNaN(number)) return text;
      return field.per === 1 ? number : Math.round(number * field.per);
    }
    case 'list':
      return text
        .split('\n')
        .map((line) => line.trim())
        .filter(Boolean);
    default:
      return text.trim();
  }
}
