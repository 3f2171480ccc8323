import { GROUPS, MODEL_FIELDS } from './settings-fields.ts';

/**
 * The settings that the panel can change: where each stands in the config, how it is shown, and what
 * it means. A setting that is not listed here is shown as it is, and changed in config.json.
 */
interface Common {
  /** Dotted key in the config. */
  key: string;
  name: string;
  /** What it means, for someone who has not read the manual. */
  means: string;
}

export type Field = Common &
  (
    | { kind: 'switch' }
    /** `per` units of the config make one unit of the field. */
    | { kind: 'number'; unit: string; per: number; orNone?: string }
    | { kind: 'choice'; choices: readonly { value: string; name: string }[] }
    /** One a line. */
    | { kind: 'list' }
    /** Hours of days of the week, or of every day; `none` says what no hours mean. */
    | { kind: 'hours'; weekly: boolean; none: string }
    | { kind: 'text' }
  );

export interface Group {
  name: string;
  fields: readonly Field[];
}

/** Every setting that has a field somewhere. */
export const FIELDS: readonly Field[] = [
  ...GROUPS.flatMap((group) => group.fields),
  ...MODEL_FIELDS,
];

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
