import { z } from 'zod';

const reading = <T extends z.ZodType>(type: T) => type.nullable().default(null);

/**
 * What is known of the machine and its owner at one moment. Null means unknown. One snapshot a tick:
 * every gate decides from the same one, so a decision can be replayed from the recorded facts.
 */
export const factsSchema = z.strictObject({
  /** Seconds since the last keyboard or pointer input: the smaller of HID and session idle. */
  idleSeconds: reading(z.number().min(0)),
  onBattery: reading(z.boolean()),
  /** Battery charge, 0–100. */
  percent: reading(z.number().min(0).max(100)),
  charging: reading(z.boolean()),
  /** The battery loses charge, whatever the plug says. */
  draining: reading(z.boolean()),
  powerSource: reading(z.enum(['mains', 'battery', 'ups', 'none'])),
  locked: reading(z.boolean()),
  displayAsleep: reading(z.boolean()),
  /** Another program keeps the display awake (a film, a presentation). */
  displayAssertion: reading(z.boolean()),
  micInUse: reading(z.boolean()),
  /** A remote session is open. */
  remote: reading(z.boolean()),
  lowPower: reading(z.boolean()),
  thermal: reading(z.enum(['nominal', 'fair', 'serious', 'critical'])),
  pressure: reading(z.enum(['normal', 'warn', 'critical'])),
  memAvailableGb: reading(z.number().min(0)),
  /** Which of the listed exclusive programs runs; empty: none does. */
  exclusiveApp: reading(z.string().max(100)),
});

export type Facts = z.infer<typeof factsSchema>;

/** Every fact there is, in the order in which they are declared and shown. */
export const FACTS = Object.keys(factsSchema.shape) as ReadonlyArray<keyof Facts>;

/** A fact as people read it: numbers with two places at most; null where it is unknown. */
export function factInWords(value: Facts[keyof Facts]): string | null {
  if (value === null) return null;
  if (value === '') return 'none';
  return typeof value === 'number' ? String(Math.round(value * 100) / 100) : String(value);
}

export interface ProbeReport {
  fact: keyof Facts;
  source: string;
  /** The value as text, or null where unknown. */
  value: string | null;
  /** Why it is unknown, or why the value may be old; null where there is nothing to say. */
  reason: string | null;
}

/** Where facts come from: the native probes, a file, or a test. Never throws; under 1 ms natively. */
export interface FactsSource {
  read(): Facts;
  /** Each probe with its value or the reason why it has none. */
  doctor(): ProbeReport[];
  /** Calls back when facts may have changed by other means than time; the result ends that. */
  watch(changed: () => void): () => void;
}
