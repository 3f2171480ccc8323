import { readFileSync, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import { failure, LullError, ok, type Result } from '../../base/errors.ts';
import { explain } from '../../base/explain.ts';
import { FACTS, type Facts, type FactsSource, factInWords, factsSchema } from './facts.ts';

/** More than any facts can need; a wrong file is refused before it is parsed. */
const MOST_CHARACTERS = 65_536;

/**
 * Facts from a JSON file instead of the machine: absent keys are unknown. The file is read at every
 * look, so that a change is seen however it was made; while it is broken or gone the last good facts
 * stay, and `doctor` says so. Throws LullError when there are no good facts to begin with.
 */
export function fileFacts(path: string): FactsSource {
  const first = parseFacts(path);
  if (!first.ok) throw new LullError(first.code, first.message, first.hint);
  let text = first.value.text;
  let facts = first.value.facts;
  let broken: string | null = null;

  function refresh(): void {
    const next = parseFacts(path, { text, facts });
    broken = next.ok ? null : next.message;
    if (next.ok) ({ text, facts } = next.value);
  }

  return {
    read() {
      refresh();
      return facts;
    },
    doctor() {
      refresh();
      return FACTS.map((fact) => ({
        fact,
        source: path,
        value: factInWords(facts[fact]),
        reason: broken ?? (facts[fact] === null ? 'the file does not say' : null),
      }));
    },
    watch(changed) {
      // The folder is watched: a file that is replaced by another leaves a watch of its own behind.
      const name = basename(path);
      const watcher = watch(dirname(path), (_event, file) => {
        if (file === null || file === name) changed();
      });
      watcher.on('error', () => watcher.close());
      return () => watcher.close();
    },
  };
}

interface Read {
  text: string;
  facts: Facts;
}

/** Reads and validates; text that is the same as before is not parsed again. */
function parseFacts(path: string, before: Read | null = null): Result<Read> {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    const why = missing ? 'there is no such file' : (error as Error).message;
    return failure(
      'invalid',
      `${path} cannot be read: ${why}`,
      'give --facts a JSON file of facts',
    );
  }
  if (text === before?.text) return ok(before);
  if (text.length > MOST_CHARACTERS) {
    return failure('invalid', `${path} is too long for a file of facts`);
  }
  let raw: unknown;
  try {
    raw = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    return failure('invalid', `${path} is not valid JSON: ${(error as Error).message}`);
  }
  const parsed = factsSchema.safeParse(raw, { reportInput: true });
  if (parsed.success) return ok({ text, facts: parsed.data });
  const issue = parsed.error.issues[0];
  if (!issue) return failure('invalid', `${path} does not hold facts`);
  const { message, hint } = explain(issue, 'the file', () => [...FACTS]);
  return failure('invalid', `${path}: ${message}`, hint);
}
