import type { Result } from '../base/errors.ts';
import type { ProbeReport } from '../engine/gates/facts.ts';
import { oneLine } from './view-model/text.ts';

/** Below this, orders, backups and the database itself are at risk. */
const LOW_DISK_BYTES = 1_000_000_000;

const DAMAGED = 'the database is damaged';

export interface DoctorInput {
  probes: readonly ProbeReport[];
  /** What SQLite's quick_check said, line by line: `ok`, or its complaints. */
  quickCheck: readonly string[];
  /** Bytes free where the data folder lies; null where that is not known. */
  diskFreeBytes: number | null;
  config: Result<unknown>;
  /** Each configured server with what it answered. */
  servers: ReadonlyArray<{ name: string; answer: Result<string> }>;
  /** By what system sleep is held off, in a sentence, or why it cannot be. */
  sleepHold: Result<string>;
  /** The orders folder can be written. */
  orders: Result<unknown>;
}

export interface DoctorView {
  probes: Array<{ fact: string; source: string; value: string | null; reason: string | null }>;
  checks: Check[];
}

interface Check {
  name: string;
  /** Null: neither well nor at fault; what is not known or not set up must not look well. */
  ok: boolean | null;
  detail: string;
}

/** What `lull doctor` shows: every native reading, and every check with what it found. */
export function doctorView(input: DoctorInput): DoctorView {
  return {
    probes: input.probes.map(({ fact, source, value, reason }) => ({
      fact,
      source,
      value,
      reason,
    })),
    checks: [
      database(input.quickCheck),
      disk(input.diskFreeBytes),
      fromResult('config', input.config, 'config.json is valid'),
      fromResult('orders', input.orders, 'the orders folder can be written'),
      fromResult('sleep', input.sleepHold),
      ...servers(input.servers),
    ],
  };
}

function database(quickCheck: readonly string[]): Check {
  const sound = quickCheck.length === 1 && quickCheck[0] === 'ok';
  const first = quickCheck[0] ?? 'the check gave no answer';
  // That it is damaged may be all that is known.
  const what = first === DAMAGED ? DAMAGED : `${DAMAGED}: ${oneLine(first)}`;
  return {
    name: 'database',
    ok: sound,
    detail: sound
      ? 'the database is sound'
      : `${what}; restore the newest file from the backups folder`,
  };
}

function disk(free: number | null): Check {
  if (free === null) return { name: 'disk', ok: null, detail: 'free space is not known' };
  const gigabytes = (free / 1_000_000_000).toFixed(1);
  const enough = free >= LOW_DISK_BYTES;
  return { name: 'disk', ok: enough, detail: `${gigabytes} GB free${enough ? '' : '; free some'}` };
}

function servers(answers: DoctorInput['servers']): Check[] {
  if (answers.length === 0) {
    const detail =
      'none is configured: the offline model answers, deterministic and labelled as such';
    return [{ name: 'model servers', ok: null, detail }];
  }
  return answers.map(({ name, answer }) => fromResult(`server ${oneLine(name, 100)}`, answer));
}

/** `good`: what is said where all is well, in place of the result itself. */
function fromResult(name: string, result: Result<unknown>, good?: string): Check {
  if (result.ok) return { name, ok: true, detail: good ?? oneLine(String(result.value)) };
  const { message, hint } = result;
  return { name, ok: false, detail: oneLine(hint ? `${message}; ${hint}` : message, 400) };
}
