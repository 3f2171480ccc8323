import { describe, expect, it } from 'vitest';
import { modelPort } from '../../../main/engine/models/port.ts';
import { setUp } from './den.ts';

describe('the loader as the supervisor uses it', () => {
  it.each([
    ['nothing was there', { unloaded: [], stuck: [], unsure: false }, true],
    ['it left', { unloaded: ['thinker'], stuck: [], unsure: false }, true],
    ['it stays', { unloaded: [], stuck: ['thinker'], unsure: false }, false],
    ['nobody answers', { unloaded: [], stuck: [], unsure: true }, false],
  ])('G7 memory is back once no model of ours can hold it: %s', async (_, released, isBack) => {
    const { clock, loader } = await setUp();
    const releaseWorker = async () => ({ ...released, millis: 1 });
    const port = modelPort({ ...loader, releaseWorker }, clock);
    expect(await port.releaseWorker('returned')).toBe(isBack);
  });
});
