import type { z } from 'zod';
import { nearest } from './suggest.ts';

type Issue = z.core.$ZodIssue;

export interface Explanation {
  /** One line: the field and what it must be, for example `queue.lightCapacity must be 1 or more`. */
  message: string;
  /** One line: how to mend it, where the message does not say so. */
  hint?: string;
}

/**
 * Turns the first fault found by a schema into one line for its owner. `whole` names the input where
 * it is wrong as a whole; `knownAt` gives the fields the schema knows at a path, for suggestions.
 */
export function explain(
  issue: Issue,
  whole: string,
  knownAt: (path: readonly PropertyKey[]) => string[] = () => [],
): Explanation {
  const field = issue.path.join('.');
  if (issue.code === 'unrecognized_keys') {
    const unknown = issue.keys[0] ?? '';
    const known = knownAt(issue.path);
    const inside = (name: string) => (field ? `${field}.${name}` : name);
    const near = nearest(unknown, known);
    const message = `unknown key "${inside(unknown)}"`;
    if (near) return { message, hint: `did you mean "${inside(near)}"?` };
    return known.length ? { message, hint: `known here: ${known.join(', ')}` } : { message };
  }
  const demand = demandOf(issue);
  const name = field || whole;
  if (issue.code === 'custom' && !field) return { message: demand };
  return { message: /^(must|is) /.test(demand) ? `${name} ${demand}` : `${name}: ${demand}` };
}

/** The first fault that a schema found, as `field must be …`. */
export function firstFault(error: z.ZodError, whole: string): string {
  return explain(error.issues[0] as Issue, whole).message;
}

const NOUNS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

function demandOf(issue: Issue): string {
  // A sentence of the schema's own says more than its code does.
  if (!/^(Too (big|small)|Invalid|Unrecognized)/.test(issue.message)) return plain(issue.message);
  switch (issue.code) {
    case 'invalid_type':
      if (issue.message.endsWith('received undefined')) return 'is missing';
      return `must be ${NOUNS[issue.expected] ?? issue.expected}`;
    case 'too_small':
      if (issue.inclusive === false) return `must be more than ${issue.minimum}`;
      if (issue.origin === 'string' && issue.minimum === 1) return 'must not be empty';
      return `must be ${count(issue.origin, issue.minimum)} or more`;
    case 'too_big':
      if (issue.inclusive === false) return `must be less than ${issue.maximum}`;
      return `must be ${count(issue.origin, issue.maximum)} or ${COUNTED[issue.origin] ? 'fewer' : 'less'}`;
    case 'invalid_value':
      return `must be ${anyOf(issue.values)}`;
    case 'invalid_union':
      if (!('options' in issue)) return plain(issue.message);
      return `must be ${anyOf(issue.options as unknown[])}`;
    case 'invalid_format':
      if (issue.format === 'url') return 'must be a web address such as http://127.0.0.1:11434';
      return plain(issue.message);
    case 'invalid_key':
      return `the key ${issue.issues[0] ? demandOf(issue.issues[0]) : 'is not allowed'}`;
    default:
      return plain(issue.message);
  }
}

const COUNTED: Readonly<Record<string, string>> = { string: 'character', array: 'entry' };

function count(origin: string, bound: number | bigint): string {
  const noun = COUNTED[origin];
  if (!noun) return String(bound);
  return `${bound} ${bound === 1 ? noun : noun.replace(/y$/, 'ie').concat('s')}`;
}

function anyOf(values: readonly unknown[]): string {
  if (values.length === 1) return JSON.stringify(values[0]);
  const words = values.map(String);
  return `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}

/** A message of a schema as the middle of a sentence. */
function plain(message: string): string {
  const line = message.replace(/\s+/g, ' ').trim();
  return line.charAt(0).toLowerCase() + line.slice(1);
}
