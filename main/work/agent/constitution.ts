import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LullError } from '../../base/errors.ts';
import { sha256 } from '../../base/ids.ts';

/**
 * The constitution: the fixed, outermost frame of every prompt. Its text is a file among the
 * resources; its SHA-256 (line ends as LF) stands here, so that a changed file is noticed, not used.
 */
export const CONSTITUTION_SHA256 =
  '34f1bfef28769897990cb0f43539d2cf01ea0db7e13a6d2b17e3e1d3ed48878c';

/** Another constitution is used only with this, and every report of the run then names the reason. */
export interface ConstitutionOverride {
  reason: string;
}

/** Refused: the outermost frame is not the constitution, and nobody said openly that it shall not be. */
export class ConstitutionError extends LullError {
  constructor(found: string) {
    super(
      'refused',
      `the constitution was changed (SHA-256 ${found.slice(0, 12)}…): no model is asked under it`,
      'restore resources/constitution.md from the release',
    );
    this.name = 'ConstitutionError';
  }
}

/** Reads the constitution from the resources folder. Throws ConstitutionError when it was changed. */
export function loadConstitution(resources: string): string {
  const text = readFileSync(join(resources, 'constitution.md'), 'utf8').replaceAll('\r\n', '\n');
  checkConstitution(text, undefined);
  return text;
}

/** Returns the text's SHA-256; throws ConstitutionError unless it is the known one or overridden. */
export function checkConstitution(
  text: string,
  override: ConstitutionOverride | undefined,
): string {
  const found = sha256(text);
  if (found !== CONSTITUTION_SHA256 && !override?.reason.trim()) throw new ConstitutionError(found);
  return found;
}

/** Reads a role's prompt from the resources folder. */
export function loadRole(resources: string, name: 'brief' | 'task'): string {
  return readFileSync(join(resources, 'prompts', `${name}.md`), 'utf8').trim();
}
