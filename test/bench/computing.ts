import { createHash } from 'node:crypto';
import type { Kind } from '../../main/engine/supervisor/handler.ts';

export interface Work {
  batches: number;
  /** Computing without a pause, milliseconds a batch. */
  millis: number;
  /** Characters of each of the 200 rows of a batch. */
  characters: number;
}

/** A kind of work as note ingest will be: it computes, and leaves rows batch by batch. */
export const computing: Kind = {
  name: 'computing',
  idempotent: true,
  modelFree: true,
  async run({ job, checkpoint }) {
    const { batches, millis, characters } = job.payload as Work;
    for (let batch = 0; batch < batches; batch++) {
      const end = performance.now() + millis;
      let text = `${batch}`;
      while (performance.now() < end) text = createHash('sha256').update(text).digest('hex');
      const filler = text.repeat(Math.ceil(characters / text.length)).slice(0, characters);
      const rows = Array.from({ length: 200 }, (_, n) => ({ n, text: filler }));
      await checkpoint({ batch }, rows);
    }
    return { kind: 'done', landing: { result: `${batches} batches` } };
  },
};
