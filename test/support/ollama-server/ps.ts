import type { CatalogueModel } from '../model-server/catalogue.ts';
import type { Faults } from '../model-server/faults.ts';
import type { Memory, Runner } from '../model-server/memory.ts';
import { memoryOf } from './model-info.ts';

/** The entries of `/api/ps`. */
export function psEntries(memory: Memory, faults: Faults): Record<string, unknown>[] {
  const runners = memory.polled().sort((a, b) => b.expiresAt - a.expiresAt);
  const entries = runners.map((runner) => entryOf(runner, faults));
  return faults.loads === 'twice' ? [...entries, ...entries] : entries;
}

function entryOf(runner: Runner, faults: Faults): Record<string, unknown> {
  const { model, numCtx } = runner;
  const size = sizeOf(runner, faults);
  return {
    name: model.name,
    model: model.name,
    size,
    digest: model.digest,
    details: detailsOf(model),
    expires_at: expiryOf(runner, faults),
    size_vram: size,
    context_length: numCtx,
  };
}

function sizeOf({ model, numCtx }: Runner, { sizeIsFile, numbers }: Faults): number {
  if (numbers === 'beyond') return 2 ** 63;
  if (numbers === 'negative') return -(2 ** 63);
  if (numbers === 'fraction') return 1.5;
  return sizeIsFile ? model.bytes : memoryOf(model, numCtx);
}

function expiryOf(runner: Runner, { expiresAt }: Faults): string {
  switch (expiresAt) {
    case 'past':
      return '2001-09-09T01:46:40.123456789Z';
    case 'far':
      return '2318-12-24T11:02:29.854775807+02:00';
    case 'zero':
      return '0001-01-01T00:00:00Z';
    case 'offset':
      return localTime(runner.expiresAt, -570);
    default:
      return localTime(runner.expiresAt, -new Date().getTimezoneOffset());
  }
}

export function detailsOf(model: CatalogueModel): Record<string, unknown> {
  return {
    parent_model: '',
    format: model.format ?? 'gguf',
    family: model.architecture,
    families: [model.architecture],
    parameter_size: '3.2B',
    quantization_level: 'Q4_K_M',
  };
}

/** Wall time with the server's own offset and nine digits, as Go writes it. */
function localTime(ms: number, offsetMinutes: number): string {
  const shifted = new Date(ms + offsetMinutes * 60_000).toISOString();
  const sign = offsetMinutes < 0 ? '-' : '+';
  const hours = String(Math.floor(Math.abs(offsetMinutes) / 60)).padStart(2, '0');
  const minutes = String(Math.abs(offsetMinutes) % 60).padStart(2, '0');
  return `${shifted.slice(0, -1)}456789${sign}${hours}:${minutes}`;
}
